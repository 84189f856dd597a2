package door

import "github.com/oncecheck/oncecheck/harness"

// clauses sorts the checks of one scenario by the clauses that they decide. A
// supplement that only a missing capability kept from judging is left out of
// the verdict, as it is when a whole run is judged.
func clauses(c harness.Catalogue, s harness.Scenario, checks []harness.CheckResult, scale float64) []harness.ClauseResult {
	var results []harness.ClauseResult
	for _, clause := range c.Clauses {
		r := harness.ClauseResult{ID: clause.ID, Level: clause.Level, Strength: clause.Strength, Title: clause.Title, Scale: scale}
		var required []harness.Verdict
		for i, check := range s.Checks {
			if check.Clause != clause.ID {
				continue
			}
			r.Checks = append(r.Checks, checks[i])
			if !check.Supplement || checks[i].Verdict != harness.NotVerified {
				required = append(required, verdict(checks[i]))
			}
		}
		if len(r.Checks) == 0 {
			continue
		}
		v := harness.Merge(required...)
		r.Verdict, r.Reason = v.Outcome, v.Reason
		results = append(results, r)
	}
	return results
}

// invariants sorts the checks of one scenario by the invariants they decide.
func invariants(c harness.Catalogue, s harness.Scenario, checks []harness.CheckResult) []harness.InvariantResult {
	var results []harness.InvariantResult
	for _, invariant := range c.Invariants {
		r := harness.InvariantResult{ID: invariant.ID, Title: invariant.Title}
		var verdicts []harness.Verdict
		for i, check := range s.Checks {
			if check.Invariant == invariant.ID {
				r.Checks = append(r.Checks, checks[i])
				verdicts = append(verdicts, verdict(checks[i]))
			}
		}
		if len(verdicts) == 0 {
			continue
		}
		v := harness.Merge(verdicts...)
		r.Verdict, r.Reason = v.Outcome, v.Reason
		results = append(results, r)
	}
	return results
}

func verdict(c harness.CheckResult) harness.Verdict {
	return harness.Verdict{Outcome: c.Verdict, Reason: c.Name + ": " + c.Reason}
}

func totals(clauses []harness.ClauseResult) harness.Totals {
	var t harness.Totals
	for _, c := range clauses {
		switch c.Verdict {
		case harness.Pass:
			t.Pass++
		case harness.Fail:
			t.Fail++
		case harness.NotVerified:
			t.NotVerified++
		case harness.NotApplicable:
			t.NotApplicable++
		default:
			t.Inconclusive++
		}
	}
	return t
}
