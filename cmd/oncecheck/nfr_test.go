package main

import (
	"testing"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/profile"
	"github.com/oncecheck/oncecheck/scenarios"
)

// On this machine a series keeps to its plan; a target elsewhere is spared as its
// owner says.
func TestUnhindered(t *testing.T) {
	for url, kept := range map[string]bool{"http://127.0.0.1:80": false, "http://[::1]:80": false, "": false, "https://staging.example": true} {
		p := &profile.Profile{Target: profile.TargetSpec{URL: url}, Limits: &profile.Limits{Concurrency: 3}}
		if free := unhindered(p); (free.Limits != nil) != kept || p.Limits == nil {
			t.Errorf("%q: limits %+v, want them kept: %v", url, free.Limits, kept)
		}
	}
}

// Every series has to prove its claim with the calls that it plans, and none may
// be left without a clause.
func TestPlansAreEnough(t *testing.T) {
	c, err := scenarios.Catalogue()
	if err != nil {
		t.Fatal(err)
	}
	clauses := map[harness.ClauseID]bool{}
	for _, clause := range c.Clauses {
		clauses[clause.ID] = true
	}
	seen := map[string]bool{}
	for _, n := range c.NFRs {
		if seen[n.ID] || !clauses[n.Clause] || n.Allowed < 0 || n.N < 1 || n.Threshold <= 0 || n.Confidence != 0.95 || n.Stop == "" || len(n.Mix) == 0 || n.Limit <= 0 || n.Drive == nil || n.Judge == nil {
			t.Errorf("%+v", n)
		}
		seen[n.ID] = true
		if m := n.Judge(harness.NewHistory(harness.Header{NFR: &n.Preregistered})); m.Outcome != harness.Inconclusive || m.UpperBound < max(1, n.Threshold) {
			t.Errorf("%s judges an empty history as %s, bound %g", n.ID, m.Outcome, m.UpperBound)
		}
		if needed := filesNeeded(c, func(o harness.NFR) bool { return o.ID == n.ID }); needed <= 2*n.Concurrency {
			t.Errorf("%s: %d files for %d calls at once", n.ID, needed, n.Concurrency)
		}
	}
}
