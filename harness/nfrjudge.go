package harness

import (
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
)

// judgeNFR judges what a series left in the run folder and in the ledger after
// its end, and returns its row and what it says about its clause.
func judgeNFR(dir string, n NFR, p PlannedNFR, run RunInfo, after aftermath) (NFRResult, CheckResult) {
	result := NFRResult{ID: n.ID, Claim: n.Claim, Threshold: n.Threshold, Unit: n.Unit, UpperBound: 1, Confidence: n.Confidence, Lane: run.Lane,
		Planned: n.N, Faults: []FaultResult{}, Repeat: run.repeatOnly(n.ID)}
	if n.Unit != "" {
		result.UpperBound = math.MaxFloat64 // nothing bounds a quantile
	}
	without := func(o Outcome, reason string) (NFRResult, CheckResult) {
		return result.decide(n, Verdict{Outcome: o, Reason: reason}, []Witness{})
	}
	switch {
	case run.Lane != LaneNFR:
		return without(NotVerified, "measured in the lane "+LaneNFR+" only")
	case !p.Selected:
		return without(NotVerified, "not selected in this run")
	case len(p.Missing) > 0:
		return without(NotVerified, missingReason(p.Missing))
	}
	h, err := openWithAftermath(dir, n.ID, after)
	switch {
	case err != nil && isMissing(err) && run.Control.Outcome != Pass:
		return without(Inconclusive, "not run: "+run.Control.Reason)
	case err != nil && isMissing(err):
		return without(Inconclusive, "planned, but it left no history")
	case err != nil:
		return without(Inconclusive, err.Error())
	case h.Header.RunID != run.ID || h.Header.Scenario != n.ID:
		return without(Inconclusive, fmt.Sprintf("the history belongs to run %s, series %s", h.Header.RunID, h.Header.Scenario))
	case h.Header.NFR == nil || !reflect.DeepEqual(*h.Header.NFR, p.Preregistered):
		return without(Inconclusive, "the history does not say the same as the plan about what was to be measured")
	case p.N < n.N || p.Threshold > n.Threshold || p.Confidence < n.Confidence || p.Allowed > n.Allowed && p.N == n.N:
		return without(Inconclusive, "it was planned with less than this version asks for")
	}
	proven := collect(h)
	result.History = "history/" + filepath.Base(HistoryFile(dir, n.ID))
	result.DurationMS = proven.duration.Milliseconds()
	result.Faults = append(result.Faults, proven.faults...)
	m := measuredSafely(n, h)
	result.N, result.Violations, result.UpperBound, result.Estimate = m.N, m.Violations, m.UpperBound, m.Estimate
	v := proven.demote(h, Check{Gates: n.gates()}, proven.unlagged(m.Verdict, m.Gross > p.Allowed))
	return result.decide(n, v, witnesses(h, v.Witness))
}

// decide gives a row and its check the verdict.
func (r NFRResult) decide(n NFR, v Verdict, w []Witness) (NFRResult, CheckResult) {
	r.Verdict, r.Reason = v.Outcome, v.Reason
	c := CheckResult{Name: n.Property, Scenario: n.ID, Verdict: v.Outcome, Reason: v.Reason, Expected: v.Expected, Observed: v.Observed, Witness: w}
	if v.Outcome == Fail || v.Outcome == Inconclusive {
		c.Repeat = r.Repeat
	}
	return r, c
}

// measuredSafely makes a judge that panics inconclusive.
func measuredSafely(n NFR, h *History) (m Measured) {
	defer func() {
		if p := recover(); p != nil {
			m = Measured{Verdict: Undecided(fmt.Sprintf("the judge panicked: %v", p)), UpperBound: 1}
		}
	}()
	return n.Judge(h)
}

// unlagged applies what the harness's own lag means to a series. All its times
// are taken here, before a call is sent and after it has returned, so that lag
// makes calls look longer and connections later closed, never the other way
// round. What was in time was in time; what was late may have been late by ours,
// unless it is so gross that no lag explains it.
func (p *proof) unlagged(v Verdict, gross bool) Verdict {
	lagged := p.lagged()
	switch {
	case lagged == "" || v.Outcome == Inconclusive:
		return v
	case p.lag == nil || v.Outcome != Pass && !gross:
		return Undecided(lagged+"; it measured: "+v.Reason, v.Witness...)
	case v.Outcome == Pass:
		v.Reason += fmt.Sprintf("; the harness itself was up to %d ms late, which makes calls look longer, never shorter", p.lag["worstMs"])
	}
	return v
}

// gates are the proofs that a pass of the series needs: one that counts effects
// is believed no more than a check that does.
func (n NFR) gates() Gates {
	return Gates{Effects: slices.Contains(n.Needs, string(CapEffects))}
}

// addNFRs adds the rows of the quantitative requirements, and to their clauses
// what they decide.
func (e *Evidence) addNFRs(dir string, plan Plan, catalogue Catalogue, after aftermath, j *joined) {
	planned := map[string]PlannedNFR{}
	for _, p := range plan.NFRs {
		planned[p.ID] = p
	}
	for _, n := range catalogue.NFRs {
		result, check := judgeNFR(dir, n, planned[n.ID], e.Run, after)
		e.NFRs = append(e.NFRs, result)
		j.byClause[n.Clause] = append(j.byClause[n.Clause], judged{result: check})
	}
}
