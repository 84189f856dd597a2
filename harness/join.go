package harness

import (
	"fmt"
	"slices"
	"strings"
)

// judged is a check's result with what the catalogue says of the check.
type judged struct {
	result     CheckResult
	supplement bool // may be left out where only a capability is missing
	missing    bool
	scale      float64
}

// joined collects check results by clause and by invariant.
type joined struct {
	byClause    map[ClauseID][]judged
	byInvariant map[string][]judged
}

func (j *joined) add(s Scenario, p Planned, scale float64, have []Capability, checks []CheckResult) {
	for i, c := range s.Checks {
		missing := p.Selected && (p.Left() != "" || len(c.missing(have)) > 0)
		entry := judged{result: checks[i], supplement: c.Supplement, missing: missing, scale: scale}
		if c.Clause != "" {
			j.byClause[c.Clause] = append(j.byClause[c.Clause], entry)
		}
		if c.Invariant != "" {
			j.byInvariant[c.Invariant] = append(j.byInvariant[c.Invariant], entry)
		}
	}
}

// clauses writes one result for every clause of the register.
func (j *joined) clauses(catalogue Catalogue, e *Evidence) {
	for _, c := range catalogue.Clauses {
		entries := j.byClause[c.ID]
		v := Verdict{Outcome: NotVerified, Reason: "no scenario judges this clause yet"}
		if len(entries) > 0 {
			v = mergeJudged(entries)
		}
		scale := scaleOf(entries)
		if scale > 1 && v.Outcome == Pass {
			v.Reason += fmt.Sprintf("; with all times of the target divided by %v", scale)
		}
		e.Clauses = append(e.Clauses, ClauseResult{ID: c.ID, Level: c.Level, Strength: c.Strength, Title: c.Title,
			Verdict: v.Outcome, Reason: v.Reason, Scale: scale, Checks: results(entries)})
		e.Totals.add(v.Outcome)
		if v.Outcome != Pass && v.Outcome != NotApplicable {
			e.NotProven = append(e.NotProven, NotProven{Clause: c.ID, Why: v.Reason})
		}
	}
}

// scaleOf returns the largest scale at which a check of a clause was carried out:
// a part that was proven at true numbers does not make the rest so.
func scaleOf(entries []judged) float64 {
	scale := 1.0
	for _, e := range entries {
		if e.result.Verdict != NotVerified && e.result.Verdict != NotApplicable {
			scale = max(scale, e.scale)
		}
	}
	return scale
}

func (j *joined) invariants(catalogue Catalogue, e *Evidence) {
	e.Invariants = []InvariantResult{}
	for _, inv := range catalogue.Invariants {
		entries := j.byInvariant[inv.ID]
		v := Verdict{Outcome: NotVerified, Reason: "nothing of this run judges it"}
		if len(entries) > 0 {
			v = mergeInvariant(entries)
		}
		e.Invariants = append(e.Invariants, InvariantResult{ID: inv.ID, Title: inv.Title, Verdict: v.Outcome, Reason: v.Reason, Checks: results(entries)})
	}
}

func results(entries []judged) []CheckResult {
	out := make([]CheckResult, len(entries))
	for i, e := range entries {
		out[i] = e.result
	}
	return out
}

// mergeJudged asks every required check of a clause for a pass. A supplement
// that only a missing capability kept from running is left out.
func mergeJudged(entries []judged) Verdict {
	var verdicts []Verdict
	var left []string
	for _, e := range entries {
		if e.supplement && e.missing {
			left = append(left, e.result.Name+" in "+e.result.Scenario+" was left out: "+e.result.Reason)
			continue
		}
		verdicts = append(verdicts, e.verdict())
	}
	if len(verdicts) == 0 { // only supplements, and none could run
		verdicts = append(verdicts, entries[0].verdict())
	}
	v := tell(Merge(verdicts...), verdicts)
	if excluded := required(entries, NotApplicable); excluded != nil && v.Outcome == Pass {
		return excluded.verdict() // a clause of which the dialect excludes a part was not proven whole
	}
	if len(left) > 0 && v.Outcome == Pass {
		v.Reason += "; " + strings.Join(left, "; ")
	}
	return v
}

// required returns the first entry with that verdict that is no supplement.
func required(entries []judged, o Outcome) *judged {
	for i, e := range entries {
		if !e.supplement && e.result.Verdict == o {
			return &entries[i]
		}
	}
	return nil
}

// tell makes the reason of a pass speak for all checks, not for the first.
func tell(v Verdict, verdicts []Verdict) Verdict {
	if v.Outcome == Pass && len(verdicts) > 1 {
		v.Reason = fmt.Sprintf("all %d checks passed, among them %s", len(verdicts), v.Reason)
	}
	return v
}

// mergeInvariant judges an invariant over the scenarios that ran: it has no list
// of required checks, so what was not selected is no gap. One pass is needed.
func mergeInvariant(entries []judged) Verdict {
	var verdicts []Verdict
	for _, e := range entries {
		if e.result.Verdict != NotVerified && e.result.Verdict != NotApplicable {
			verdicts = append(verdicts, e.verdict())
		}
	}
	if len(verdicts) == 0 {
		return entries[0].verdict()
	}
	return tell(Merge(verdicts...), verdicts)
}

func (e judged) verdict() Verdict {
	if e.result.Verdict == NotVerified { // the same for all that was not carried out for that reason
		return Verdict{Outcome: NotVerified, Reason: e.result.Reason}
	}
	return Verdict{Outcome: e.result.Verdict, Reason: e.result.Name + " in " + e.result.Scenario + ": " + e.result.Reason}
}

func (t *Totals) add(o Outcome) {
	switch o {
	case Pass:
		t.Pass++
	case Fail:
		t.Fail++
	case NotVerified:
		t.NotVerified++
	case NotApplicable:
		t.NotApplicable++
	default:
		t.Inconclusive++
	}
}

// Proved reports whether anything was proven: a clause, a threshold, or a whole
// scenario, which may show no more than an invariant or a part of a clause. A
// single check that passed in a scenario of which the rest could not be observed is
// no proof, nor is that nothing odd came later, which needs no scenario. One that
// failed as it is known to, and passed beside that, has shown what it can.
func (e Evidence) Proved() bool {
	shown := func(s ScenarioResult) bool {
		return s.Verdict == Pass || s.Verdict == Fail && s.Known != nil && e.passedIn(s.ID)
	}
	return slices.ContainsFunc(e.Clauses, func(c ClauseResult) bool { return c.Verdict == Pass }) ||
		slices.ContainsFunc(e.Scenarios, shown) ||
		slices.ContainsFunc(e.NFRs, func(n NFRResult) bool { return n.Verdict == Pass })
}

// passedIn reports whether a check of the scenario passed.
func (e Evidence) passedIn(scenario string) bool {
	passed := func(c CheckResult) bool { return c.Verdict == Pass && c.Scenario == scenario }
	return slices.ContainsFunc(e.Clauses, func(c ClauseResult) bool { return slices.ContainsFunc(c.Checks, passed) }) ||
		slices.ContainsFunc(e.Invariants, func(i InvariantResult) bool { return slices.ContainsFunc(i.Checks, passed) })
}

// Exit codes of a judged run.
const (
	ExitGreen        = 0
	ExitFail         = 1
	ExitUsage        = 2
	ExitInconclusive = 3
)

// ExitCode returns what the run's process must exit with. A run in which nothing
// was proven is inconclusive, never green. Failures that are known do not
// count, but a known failure that did not fail as it should does.
func (e Evidence) ExitCode() int {
	var outcomes []Outcome
	count := func(o Outcome, k *Known) {
		if k == nil || o != Fail {
			outcomes = append(outcomes, o)
		}
	}
	checks := func(results []CheckResult) {
		for _, c := range results {
			count(c.Verdict, c.Known)
		}
	}
	for _, c := range e.Clauses {
		count(c.Verdict, c.Known)
		checks(c.Checks)
	}
	for _, i := range e.Invariants {
		count(i.Verdict, i.Known)
		checks(i.Checks) // an open one must not hide behind a failure that is known
	}
	for _, s := range e.Scenarios {
		count(s.Verdict, s.Known)
	}
	for _, n := range e.NFRs {
		count(n.Verdict, n.Known)
	}
	for _, k := range e.Known {
		if k.Counts {
			outcomes = append(outcomes, Fail)
		}
	}
	switch {
	case slices.Contains(outcomes, Fail):
		return ExitFail
	case slices.Contains(outcomes, Inconclusive) || e.Run.Control.Outcome != Pass || len(e.Run.Unusable())+len(e.Run.Unmet()) > 0 || !e.Proved():
		return ExitInconclusive
	}
	return ExitGreen
}
