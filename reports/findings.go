package reports

import (
	"cmp"
	"slices"

	"github.com/oncecheck/oncecheck/harness"
)

// finding is one thing that went wrong, told once: the clauses and invariants
// that one check decides in one scenario share a finding.
type finding struct {
	Verdict    harness.Outcome
	Clauses    []harness.ClauseResult // without their checks
	Invariants []harness.InvariantResult
	Checks     []string
	Scenario   harness.ScenarioResult // zero if no scenario is behind it
	Faults     []string
	Reason     string
	Expected   string
	Observed   string
	Witness    []harness.Witness
	Repeat     string
	Known      *harness.Known // of a failure that somebody answers for
}

// findingKey tells findings apart. A failure is reported per check; unclear
// verdicts of one scenario with one reason (the fault never fired, the control
// failed) are one problem however many checks it stopped.
type findingKey struct{ scenario, check, reason string }

// findings collects everything whose verdict is wanted, in order of appearance.
// A clause without a check of that verdict speaks for itself. Known failures are
// told apart, by knownFindings.
func findings(e harness.Evidence, wanted harness.Outcome) []finding {
	return collect(e, wanted, false)
}

// knownFindings collects the failures that do not count since they are known.
func knownFindings(e harness.Evidence) []finding { return collect(e, harness.Fail, true) }

func collect(e harness.Evidence, wanted harness.Outcome, known bool) []finding {
	scenarios := scenarioIndex(e)
	var list []finding
	at := map[findingKey]int{}
	entry := func(c harness.CheckResult) *finding {
		key := findingKey{c.Scenario, c.Name, c.Reason}
		if wanted != harness.Fail {
			key.check = ""
		}
		i, seen := at[key]
		if !seen {
			i = len(list)
			at[key] = i
			s := scenarios[c.Scenario]
			list = append(list, finding{Verdict: wanted, Scenario: s, Faults: faultNames(s), Reason: c.Reason,
				Expected: c.Expected, Observed: c.Observed, Witness: c.Witness, Repeat: cmp.Or(c.Repeat, s.Repeat), Known: c.Known})
		}
		f := &list[i]
		if c.Name != "" && !slices.Contains(f.Checks, c.Name) {
			f.Checks = append(f.Checks, c.Name)
		}
		return f
	}
	for _, c := range e.Clauses {
		whole := harness.CheckResult{Verdict: c.Verdict, Reason: c.Reason, Known: c.Known}
		for _, check := range atFault(c.Checks, whole, wanted, known) {
			c.Checks = nil
			f := entry(check)
			if !slices.ContainsFunc(f.Clauses, func(o harness.ClauseResult) bool { return o.ID == c.ID }) {
				f.Clauses = append(f.Clauses, c)
			}
		}
	}
	for _, inv := range e.Invariants {
		whole := harness.CheckResult{Verdict: inv.Verdict, Reason: inv.Reason, Known: inv.Known}
		for _, check := range atFault(inv.Checks, whole, wanted, known) {
			inv.Checks = nil
			f := entry(check)
			if !slices.ContainsFunc(f.Invariants, func(o harness.InvariantResult) bool { return o.ID == inv.ID }) {
				f.Invariants = append(f.Invariants, inv)
			}
		}
	}
	return list
}

// atFault returns the checks with the wanted verdict, or, if the whole has that
// verdict and no check does, the whole as a nameless one. Of those it keeps the
// known, or the others.
func atFault(checks []harness.CheckResult, whole harness.CheckResult, wanted harness.Outcome, known bool) []harness.CheckResult {
	var found []harness.CheckResult
	for _, c := range checks {
		if c.Verdict == wanted {
			found = append(found, c)
		}
	}
	if len(found) == 0 && whole.Verdict == wanted {
		found = append(found, whole)
	}
	return slices.DeleteFunc(found, func(c harness.CheckResult) bool { return (c.Known != nil) != known })
}

// scenarioIndex finds the experiment behind a check: a scenario, or a series that
// measured a threshold.
func scenarioIndex(e harness.Evidence) map[string]harness.ScenarioResult {
	index := make(map[string]harness.ScenarioResult, len(e.Scenarios)+len(e.NFRs))
	for _, n := range e.NFRs {
		index[n.ID] = harness.ScenarioResult{ID: n.ID, Title: n.Claim, Verdict: n.Verdict, Reason: n.Reason, Attempts: 1,
			DurationMS: n.DurationMS, History: n.History, Faults: n.Faults, Repeat: n.Repeat, Known: n.Known}
	}
	for _, s := range e.Scenarios {
		index[s.ID] = s
	}
	return index
}

func faultNames(s harness.ScenarioResult) []string {
	var names []string
	for _, f := range s.Faults {
		if !slices.Contains(names, f.Fault) {
			names = append(names, f.Fault)
		}
	}
	return names
}

// gap is a reason for which clauses are not proven.
type gap struct {
	Why     string
	Clauses []harness.ClauseID
}

// gaps groups what is not proven by its reason, the most frequent first.
func gaps(e harness.Evidence) []gap {
	var list []gap
	at := map[string]int{}
	for _, n := range e.NotProven {
		i, seen := at[n.Why]
		if !seen {
			i = len(list)
			at[n.Why] = i
			list = append(list, gap{Why: n.Why})
		}
		list[i].Clauses = append(list[i].Clauses, n.Clause)
	}
	slices.SortStableFunc(list, func(a, b gap) int { return cmp.Compare(len(b.Clauses), len(a.Clauses)) })
	return list
}

// card is the clauses of one requirement card.
type card struct {
	Name    string
	Clauses []harness.ClauseResult
	Totals  harness.Totals
}

// cards groups the clauses by card, in order of first appearance.
func cards(e harness.Evidence) []card {
	var list []card
	at := map[string]int{}
	for _, c := range e.Clauses {
		name := c.ID.Card()
		i, seen := at[name]
		if !seen {
			i = len(list)
			at[name] = i
			list = append(list, card{Name: name})
		}
		list[i].Clauses = append(list[i].Clauses, c)
		count(&list[i].Totals, c.Verdict)
	}
	return list
}

func count(t *harness.Totals, o harness.Outcome) {
	switch o {
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
