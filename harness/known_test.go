package harness

import (
	"context"
	"strings"
	"testing"
	"time"
)

// knownFixture is a run with one scenario of each verdict. In "s/twice" a check
// fails that decides a clause and an invariant, and one more fails besides.
func knownFixture() Evidence {
	check := func(name, scenario string, o Outcome) CheckResult {
		return CheckResult{Name: name, Scenario: scenario, Verdict: o, Reason: "because"}
	}
	return Evidence{
		Run: RunInfo{Control: Passed("ok")},
		Scenarios: []ScenarioResult{{ID: "s/right", Verdict: Pass}, {ID: "s/wrong", Verdict: Fail}, {ID: "s/twice", Verdict: Fail},
			{ID: "s/open", Verdict: Inconclusive}, {ID: "s/left-out", Verdict: NotVerified}, {ID: "s/needy", Verdict: NotVerified}},
		Clauses: []ClauseResult{
			{ID: "C.pass", Verdict: Pass, Checks: []CheckResult{check("a", "s/right", Pass)}},
			{ID: "C.fail", Verdict: Fail, Checks: []CheckResult{check("b", "s/wrong", Fail), check("a", "s/right", Pass)}},
			{ID: "C.twice", Verdict: Fail, Checks: []CheckResult{check("c", "s/twice", Fail), check("d", "s/twice", Fail)}},
			{ID: "C.open", Verdict: Inconclusive, Checks: []CheckResult{check("e", "s/open", Inconclusive)}},
			{ID: "C.mixed", Verdict: Fail, Checks: []CheckResult{check("b", "s/wrong", Fail), check("e", "s/open", Inconclusive)}},
			{ID: "C.left-out", Verdict: NotVerified, Checks: []CheckResult{check("f", "s/left-out", NotVerified)}},
			{ID: "C.needy", Verdict: NotVerified, Checks: []CheckResult{check("g", "s/needy", NotVerified)}},
			{ID: "C.nobody", Verdict: NotVerified},
		},
		Invariants: []InvariantResult{{ID: "I1", Verdict: Fail, Checks: []CheckResult{check("c", "s/twice", Fail), check("a", "s/right", Pass)}}},
	}
}

// only keeps what the named clauses, and the invariant, are about.
func (e Evidence) only(ids ...string) Evidence {
	kept := Evidence{Run: e.Run}
	scenarios := map[string]bool{}
	keep := func(id string, checks []CheckResult) bool {
		for _, want := range ids {
			if want == id {
				for _, c := range checks {
					scenarios[c.Scenario] = true
				}
				return true
			}
		}
		return false
	}
	for _, c := range e.Clauses {
		if keep(string(c.ID), c.Checks) {
			kept.Clauses = append(kept.Clauses, c)
		}
	}
	for _, i := range e.Invariants {
		if keep(i.ID, i.Checks) {
			kept.Invariants = append(kept.Invariants, i)
		}
	}
	for _, s := range e.Scenarios {
		if scenarios[s.ID] {
			kept.Scenarios = append(kept.Scenarios, s)
		}
	}
	return kept
}

func TestKnownFailures(t *testing.T) {
	clause := func(id string) KnownFailure {
		return KnownFailure{Clause: ClauseID(id), Known: Known{Reason: "r", Link: "https://x/1", Owner: "team", Expires: "2026-03-14"}}
	}
	check := func(id string) KnownFailure {
		k := clause("")
		k.Check = id
		return k
	}
	until := func(k KnownFailure, date string) KnownFailure { k.Expires = date; return k }
	const whole, narrowed = false, true
	for _, row := range []struct {
		name     string
		about    string // clauses and invariants of the run
		known    []KnownFailure
		narrowed bool
		exit     int
		says     string // in the text of the first, or "" if it failed as it should
	}{
		{"nothing is known", "C.pass C.fail", nil, whole, ExitFail, ""},
		{"a clause", "C.pass C.fail", []KnownFailure{clause("C.fail")}, whole, ExitGreen, ""},
		{"a check", "C.pass C.fail", []KnownFailure{check("b@s/wrong")}, whole, ExitGreen, ""},
		{"both", "C.pass C.fail", []KnownFailure{clause("C.fail"), check("b@s/wrong")}, whole, ExitGreen, ""},
		{"the last day counts", "C.pass C.fail", []KnownFailure{until(clause("C.fail"), "2026-03-14")}, whole, ExitGreen, ""},
		{"the day after does not", "C.pass C.fail", []KnownFailure{until(clause("C.fail"), "2026-03-13")}, whole, ExitFail, "expired on 2026-03-13"},
		{"another failure", "C.pass C.fail C.twice", []KnownFailure{clause("C.fail")}, whole, ExitFail, ""},
		{"one of two failures of a clause", "C.pass C.twice", []KnownFailure{check("c@s/twice")}, whole, ExitFail, ""},
		{"both failures of a clause", "C.pass C.twice", []KnownFailure{check("c@s/twice"), check("d@s/twice")}, whole, ExitGreen, ""},
		{"the clause, but not its invariant", "C.pass C.twice I1", []KnownFailure{clause("C.twice")}, whole, ExitFail, ""},
		{"a check wherever it counts", "C.pass C.twice I1", []KnownFailure{check("c@s/twice"), check("d@s/twice")}, whole, ExitGreen, ""},
		{"it passes", "C.pass", []KnownFailure{clause("C.pass")}, whole, ExitFail, "passed: remove it"},
		{"its check passes", "C.pass", []KnownFailure{check("a@s/right")}, whole, ExitFail, "passed: remove it"},
		{"no such clause", "C.pass", []KnownFailure{clause("C.none")}, whole, ExitFail, "matches nothing"},
		{"no such check", "C.pass", []KnownFailure{check("a@s/wrong")}, whole, ExitFail, "matches nothing"},
		{"no such clause in a narrowed run", "C.pass C.left-out", []KnownFailure{clause("C.none")}, narrowed, ExitFail, "matches nothing"},
		{"nobody judges it", "C.pass C.nobody", []KnownFailure{clause("C.nobody")}, whole, ExitFail, "matches nothing"},
		{"inconclusive is no excuse", "C.pass C.open", []KnownFailure{clause("C.open")}, whole, ExitInconclusive, "neither failed nor passed"},
		{"nor can it hide behind a known failure", "C.pass C.mixed", []KnownFailure{check("b@s/wrong")}, whole, ExitInconclusive, ""},
		{"a capability is missing", "C.pass C.needy", []KnownFailure{clause("C.needy")}, whole, ExitFail, "matches no failure of this run: because"},
		{"not selected", "C.pass C.left-out", []KnownFailure{clause("C.left-out")}, narrowed, ExitGreen, "was not judged: this run selects only some scenarios"},
		{"not selected, and expired", "C.pass C.left-out", []KnownFailure{until(clause("C.left-out"), "2020-01-01")}, narrowed, ExitGreen, "was not judged"},
		{"selected, in a narrowed run", "C.pass C.left-out", []KnownFailure{clause("C.pass")}, narrowed, ExitFail, "passed: remove it"},
		{"failed, in a narrowed run", "C.pass C.fail C.left-out", []KnownFailure{clause("C.fail")}, narrowed, ExitGreen, ""},
		{"nothing else passed", "C.twice", []KnownFailure{clause("C.twice")}, whole, ExitInconclusive, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			e := knownFixture().only(strings.Fields(row.about)...)
			plan := Plan{Run: RunInfo{Started: time.Date(2026, 3, 14, 23, 59, 0, 0, time.UTC)}, Known: row.known}
			for _, s := range e.Scenarios {
				plan.Scenarios = append(plan.Scenarios, Planned{ID: s.ID, Selected: !row.narrowed || s.ID != "s/left-out"})
			}
			e.accept(plan)
			if got := e.ExitCode(); got != row.exit {
				t.Errorf("exit %d, want %d: %+v", got, row.exit, e.Known)
			}
			if len(e.Known) != len(row.known) {
				t.Fatalf("%d results for %d entries", len(e.Known), len(row.known))
			}
			if len(row.known) == 0 {
				return
			}
			r := e.Known[0]
			if !strings.Contains(r.Text, row.says) || r.Failed != (row.says == "") || r.Failed && r.Text != "" {
				t.Errorf("%+v, want %q", r, row.says)
			}
			if r.Text != "" && !strings.Contains(r.Text, "owner team, https://x/1") {
				t.Errorf("%q does not say whom to ask", r.Text)
			}
		})
	}
}

func TestAKnownFailureStaysAFailure(t *testing.T) {
	e := knownFixture().only("C.pass", "C.fail")
	k := KnownFailure{Clause: "C.fail", Known: Known{Reason: "r", Expires: "9999-01-01"}}
	e.accept(Plan{Known: []KnownFailure{k}})
	c := e.Clauses[1]
	if c.Verdict != Fail || c.Known == nil || c.Known.Reason != "r" || c.Checks[0].Verdict != Fail || c.Checks[0].Known == nil {
		t.Errorf("%+v", c)
	}
	if c.Checks[1].Known != nil || e.Clauses[0].Known != nil {
		t.Error("a pass is marked as known")
	}
	if e.Scenarios[1].Known == nil || e.Totals.Known != 1 {
		t.Errorf("scenario %+v, totals %+v", e.Scenarios[1], e.Totals)
	}
}

// A run with a known failure is judged again with the same exit code: the list
// is part of the plan.
func TestKnownFailuresArePartOfThePlan(t *testing.T) {
	bubble(func(t *testing.T) {
		right := oneOrder()
		right.ID, right.Checks[0].Clause = "x/right", "C.2"
		right.Drive = func(ctx context.Context, s *Session) error {
			s.Send(ctx, s.Case("c"), Attempt{Principal: "alice"})
			return nil
		}
		catalogue, target := testCatalogue(oneOrder(), right), shopTarget(&shop{broken: true})
		plan, err := NewPlan(RunInfo{ID: "run-1", Started: time.Now()}, target.Info, catalogue, everything)
		if err != nil {
			t.Fatal(err)
		}
		plan.Known = []KnownFailure{{Check: "one@x/one-order", Known: Known{Reason: "r", Link: "l", Owner: "o", Expires: "9999-01-01"}}}
		dir := t.TempDir()
		r, err := NewRunner(t.Context(), target, plan, dir)
		if err != nil {
			t.Fatal(err)
		}
		e, err := Run(t.Context(), r, catalogue, Options{Jobs: 1})
		if err != nil || e.Run.Exit != ExitGreen || e.Clauses[0].Verdict != Fail {
			t.Fatalf("exit %d, clause %s, %v", e.Run.Exit, e.Clauses[0].Verdict, err)
		}
		stored, err := ReadPlan(dir)
		if err != nil {
			t.Fatal(err)
		}
		again, err := JudgeRun(dir, stored, catalogue, e.Run.Finished)
		if err != nil || again.Run.Exit != ExitGreen || again.Clauses[0].Known == nil {
			t.Errorf("judged again: exit %d, %v", again.Run.Exit, err)
		}
	})(t)
}
