package door

import (
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

func TestClausesLeaveOutSupplementsThatCouldNotRun(t *testing.T) {
	required := harness.Check{Name: "required", Clause: "A.1"}
	further := harness.Check{Name: "further", Clause: "A.1", Supplement: true}
	for _, c := range []struct {
		name              string
		required, further harness.Outcome
		want              harness.Outcome
	}{
		{"both pass", harness.Pass, harness.Pass, harness.Pass},
		{"the supplement lacks a capability", harness.Pass, harness.NotVerified, harness.Pass},
		{"the required one lacks a capability", harness.NotVerified, harness.Pass, harness.NotVerified},
		{"a failure of a supplement counts in full", harness.Pass, harness.Fail, harness.Fail},
		{"so does an open one", harness.Pass, harness.Inconclusive, harness.Inconclusive},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := harness.Scenario{ID: "x/y", Checks: []harness.Check{required, further}}
			checks := []harness.CheckResult{{Name: "required", Verdict: c.required}, {Name: "further", Verdict: c.further}}
			got := clauses(harness.Catalogue{Clauses: []harness.Clause{{ID: "A.0"}, {ID: "A.1"}}}, s, checks, 1)
			if len(got) != 1 || got[0].ID != "A.1" || got[0].Verdict != c.want {
				t.Errorf("got %+v, want A.1 %s alone", got, c.want)
			}
		})
	}
	onlyFurther := harness.Scenario{Checks: []harness.Check{further}}
	got := clauses(harness.Catalogue{Clauses: []harness.Clause{{ID: "A.1"}}}, onlyFurther, []harness.CheckResult{{Verdict: harness.NotVerified}}, 1)
	if got[0].Verdict != harness.NotVerified {
		t.Errorf("a clause with nothing but a supplement that could not run: %s, want not-verified", got[0].Verdict)
	}
}

func TestErrNeedsAPass(t *testing.T) {
	passed := harness.Verdict{Outcome: harness.Pass}
	proven := []harness.ClauseResult{{ID: "A.1", Verdict: harness.Pass}}
	for _, c := range []struct {
		name     string
		evidence harness.Evidence
		green    int
		wantErr  bool
	}{
		{"proven", harness.Evidence{Run: harness.RunInfo{Control: passed}, Clauses: proven}, 1, false},
		{"nothing green", harness.Evidence{Run: harness.RunInfo{Control: passed}, Clauses: proven}, 0, true},
		{"no control", harness.Evidence{Clauses: proven}, 1, true},
		{"an invariant broke late", harness.Evidence{Run: harness.RunInfo{Control: passed}, Clauses: proven,
			Invariants: []harness.InvariantResult{{ID: "I1", Verdict: harness.Fail}}}, 1, true},
		{"an invariant stayed open", harness.Evidence{Run: harness.RunInfo{Control: passed}, Clauses: proven,
			Invariants: []harness.InvariantResult{{ID: "I6", Verdict: harness.Inconclusive}}}, 1, true},
	} {
		if err := (Finished{Evidence: c.evidence}).Err(c.green); (err != nil) != c.wantErr {
			t.Errorf("%s: %v, want an error: %v", c.name, err, c.wantErr)
		}
	}
}
