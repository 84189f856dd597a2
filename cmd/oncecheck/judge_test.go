package main

import (
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

func TestCompare(t *testing.T) {
	evidence := func(change func(*harness.Evidence)) harness.Evidence {
		e := harness.Evidence{
			Run:        harness.RunInfo{Control: harness.Passed("")},
			Scenarios:  []harness.ScenarioResult{{ID: "f/one", Verdict: harness.Pass}},
			Clauses:    []harness.ClauseResult{{ID: "A.1", Verdict: harness.Pass, Checks: []harness.CheckResult{{Name: "c", Scenario: "f/one", Verdict: harness.Pass}}}},
			Invariants: []harness.InvariantResult{{ID: "I1", Verdict: harness.NotVerified}},
		}
		change(&e)
		return e
	}
	for name, test := range map[string]struct {
		change func(*harness.Evidence)
		want   string // empty: no difference
	}{
		"the same":           {func(*harness.Evidence) {}, ""},
		"another reason":     {func(e *harness.Evidence) { e.Clauses[0].Reason = "other words" }, ""},
		"a clause":           {func(e *harness.Evidence) { e.Clauses[0].Verdict = harness.Fail }, "clause A.1: the evidence says fail, the histories say pass"},
		"a check":            {func(e *harness.Evidence) { e.Clauses[0].Checks[0].Verdict = harness.Fail }, "clause A.1 check c in f/one: the evidence says fail"},
		"a scenario":         {func(e *harness.Evidence) { e.Scenarios[0].Verdict = harness.Inconclusive }, "scenario f/one: the evidence says inconclusive"},
		"an invariant":       {func(e *harness.Evidence) { e.Invariants[0].Verdict = harness.Pass }, "invariant I1: the evidence says pass, the histories say not-verified"},
		"the control":        {func(e *harness.Evidence) { e.Run.Control = harness.Undecided("") }, "positive control"},
		"the totals":         {func(e *harness.Evidence) { e.Totals.Pass = 7 }, "totals: the evidence says"},
		"the target":         {func(e *harness.Evidence) { e.Target.Name = "another" }, "target: the evidence says"},
		"the effects":        {func(e *harness.Evidence) { e.Effects = map[string]harness.EffectTotals{"charge": {Duplicates: 1}} }, "effects: the evidence says"},
		"what is not proven": {func(e *harness.Evidence) { e.NotProven = []harness.NotProven{{Clause: "A.1"}} }, "what is not proven"},
		"the exit code":      {func(e *harness.Evidence) { e.Run.Exit = 3 }, "exit code: the evidence says 3, the histories say 0"},
		"a clause left out":  {func(e *harness.Evidence) { e.Clauses = nil }, "clause A.1: the evidence says nothing"},
		"an invented clause": {func(e *harness.Evidence) { e.Clauses = append(e.Clauses, harness.ClauseResult{ID: "A.2"}) }, "clause A.2: the evidence says inconclusive, the histories say nothing"},
		"a clause twice":     {func(e *harness.Evidence) { e.Clauses = append(e.Clauses, e.Clauses[0]) }, "clause A.1: the evidence says it twice"},
	} {
		differences := strings.Join(compare(evidence(test.change), evidence(func(*harness.Evidence) {})), "\n")
		if (test.want == "") != (differences == "") || !strings.Contains(differences, test.want) {
			t.Errorf("%s: %q, wanted %q", name, differences, test.want)
		}
	}
}
