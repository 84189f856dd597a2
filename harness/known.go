package harness

import "fmt"

// Known is why a failure is accepted for a while, and by whom.
type Known struct {
	Reason  string `json:"reason"`
	Link    string `json:"link"` // where it is being worked on
	Owner   string `json:"owner"`
	Expires string `json:"expires"` // YYYY-MM-DD, the last day on which it is accepted
}

// KnownFailure is a failure that somebody answers for until a date. It names a
// clause, with whatever fails in it, or one check, wherever it counts.
type KnownFailure struct {
	Clause ClauseID `json:"clause,omitempty"`
	Check  string   `json:"check,omitempty"` // name@scenario
	Known
}

func (k KnownFailure) String() string {
	if k.Clause != "" {
		return string(k.Clause)
	}
	return k.Check
}

// KnownResult is what became of a known failure in a run. Unless it failed as it
// should, Text says so; one that Counts is a failure itself, or the list would
// only ever grow.
type KnownResult struct {
	KnownFailure
	Failed bool   `json:"failed"`
	Counts bool   `json:"counts"`
	Text   string `json:"text,omitempty"` // a whole sentence
}

// CheckID names a check of a scenario as known failures do.
func CheckID(name, scenario string) string { return name + "@" + scenario }

// accept marks the failures that are known and judges the list itself. Verdicts
// stay what they are: a known failure is a failure. What is inconclusive can not
// be known.
func (e *Evidence) accept(plan Plan) {
	selected, narrowed := map[string]bool{}, false
	for _, p := range plan.Scenarios {
		selected[p.ID] = p.Selected
		narrowed = narrowed || !p.Selected
	}
	unmeasured := map[string]bool{}
	for _, n := range e.NFRs {
		unmeasured[n.ID] = true
	}
	for _, p := range plan.NFRs {
		unmeasured[p.ID], selected[p.ID] = !p.Selected, p.Selected
	}
	today := plan.Run.Started.UTC().Format("2006-01-02")
	for _, k := range plan.Known {
		about := e.about(k)
		r := k.judge(about, today, func(c CheckResult) bool { return narrowed && !selected[c.Scenario] || unmeasured[c.Scenario] })
		if r.Failed {
			for _, c := range about {
				if c.Verdict == Fail && c.Known == nil {
					c.Known = &k.Known
				}
			}
		}
		e.Known = append(e.Known, r)
	}
	if len(plan.Known) > 0 {
		e.spread()
	}
}

// about returns the checks that a known failure speaks of.
func (e *Evidence) about(k KnownFailure) []*CheckResult {
	var found []*CheckResult
	for i := range e.Clauses {
		for j := range e.Clauses[i].Checks {
			c := &e.Clauses[i].Checks[j]
			if k.Clause == e.Clauses[i].ID || k.Clause == "" && k.Check == CheckID(c.Name, c.Scenario) {
				found = append(found, c)
			}
		}
	}
	for i := range e.Invariants {
		for j := range e.Invariants[i].Checks {
			c := &e.Invariants[i].Checks[j]
			if k.Clause == "" && k.Check == CheckID(c.Name, c.Scenario) {
				found = append(found, c)
			}
		}
	}
	return found
}

// judge decides what became of a known failure. Left tells which checks this run
// left out because it was narrowed: nothing can be said of those.
func (k KnownFailure) judge(about []*CheckResult, today string, left func(CheckResult) bool) KnownResult {
	count, out, open := map[Outcome]int{}, 0, ""
	for _, c := range about {
		if left(*c) {
			out++
			continue
		}
		count[c.Verdict]++
		if c.Verdict != Pass {
			open = c.Reason
		}
	}
	r := KnownResult{KnownFailure: k}
	says := func(counts bool, format string, args ...any) KnownResult {
		r.Counts = counts
		r.Text = "known failure " + k.String() + " " + fmt.Sprintf(format, args...) + " (owner " + k.Owner + ", " + k.Link + ")"
		return r
	}
	switch {
	case len(about) == 0:
		return says(true, "matches nothing: no check of this version has that name, or none judges that clause yet")
	case count[Fail] == 0 && out > 0:
		return says(false, "was not judged: this run selects only some scenarios")
	case today > k.Expires:
		return says(true, "expired on %s: it counts again; mend it, or agree on another date", k.Expires)
	case count[Fail] > 0:
		r.Failed = true
		return r
	case count[Inconclusive] > 0:
		return says(false, "neither failed nor passed: %s", open)
	case count[Pass] > 0:
		return says(true, "passed: remove it")
	}
	return says(true, "matches no failure of this run: %s", open)
}

// spread marks what fails for no other reason than known failures: clauses,
// invariants and scenarios.
func (e *Evidence) spread() {
	byScenario := map[string][]CheckResult{}
	gather := func(checks []CheckResult) {
		for _, c := range checks {
			byScenario[c.Scenario] = append(byScenario[c.Scenario], c)
		}
	}
	for i := range e.Clauses {
		c := &e.Clauses[i]
		if c.Known = onlyKnown(c.Verdict, c.Checks); c.Known != nil {
			e.Totals.Known++
		}
		gather(c.Checks)
	}
	for i := range e.Invariants {
		v := &e.Invariants[i]
		v.Known = onlyKnown(v.Verdict, v.Checks)
		gather(v.Checks)
	}
	for i := range e.Scenarios {
		s := &e.Scenarios[i]
		s.Known = onlyKnown(s.Verdict, byScenario[s.ID])
	}
	for i := range e.NFRs {
		n := &e.NFRs[i]
		n.Known = onlyKnown(n.Verdict, byScenario[n.ID])
	}
}

// onlyKnown returns the first known failure if there is no other failure.
func onlyKnown(o Outcome, checks []CheckResult) (first *Known) {
	if o != Fail {
		return nil
	}
	for _, c := range checks {
		switch {
		case c.Verdict != Fail:
		case c.Known == nil:
			return nil
		case first == nil:
			first = c.Known
		}
	}
	return first
}
