package main

import (
	"errors"
	"slices"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/reference/stack"
)

func TestKillMatrix(t *testing.T) {
	must := []string{"B.1", "A.1"}
	for _, test := range []struct {
		name     string
		kills    []string
		failed   []string
		verdict  string
		unkilled []string
	}{
		{"exactly its row", []string{"B.1", "A.1"}, []string{"A.1", "B.1"}, killed, []string{}},
		{"its row, each clause once", []string{"A.1", "A.1"}, []string{"A.1"}, killed, []string{"B.1"}},
		{"nothing failed", []string{"A.1"}, nil, survived, []string{"A.1", "B.1"}},
		{"only others failed", []string{"A.1"}, []string{"B.1"}, survived, []string{"A.1", "B.1"}},
		{"one too many", []string{"A.1"}, []string{"A.1", "B.1"}, wrongReason, []string{"A.1", "B.1"}},
		{"one too few", []string{"A.1", "B.1"}, []string{"B.1"}, wrongReason, []string{"A.1", "B.1"}},
		{"an empty row never counts", nil, nil, survived, []string{"A.1", "B.1"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := newMatrix([]stack.Mutant{{Name: "m", Kills: test.kills}}, map[string][]string{"m": test.failed}, must)
			if got := m.Mutants[0].Verdict; got != test.verdict {
				t.Errorf("verdict %s, wanted %s", got, test.verdict)
			}
			if !slices.Equal(m.Unkilled, test.unkilled) {
				t.Errorf("unkilled %v, wanted %v", m.Unkilled, test.unkilled)
			}
			if m.Score.MustClauses != 2 || m.Score.MustKilled != 2-len(m.Unkilled) || m.Score.Mutants != 1 {
				t.Errorf("score %+v", m.Score)
			}
			if want := test.verdict == killed && len(test.unkilled) == 0; m.complete() != want {
				t.Errorf("complete is %t", m.complete())
			}
		})
	}
}

func TestKillMatrixIsNeverNull(t *testing.T) {
	m := newMatrix(nil, nil, nil)
	if m.Mutants == nil || m.Unkilled == nil {
		t.Error("a list is nil: it would be null in JSON")
	}
	if m.complete() {
		t.Error("a matrix without a mutant is complete: it proves nothing")
	}
	k := newMatrix([]stack.Mutant{{Name: "m"}}, nil, nil).Mutants[0]
	if k.Kills == nil || k.KilledBy == nil {
		t.Error("a list of a mutant is nil: it would be null in JSON")
	}
}

func TestOpenTrials(t *testing.T) {
	clause := func(id string, o harness.Outcome) harness.ClauseResult {
		return harness.ClauseResult{ID: harness.ClauseID(id), Verdict: o}
	}
	found := func(results ...harness.ClauseResult) trial {
		return trial{evidence: harness.Evidence{Clauses: results}}
	}
	ended := func(code int, err error) trial {
		return trial{harness.Evidence{Run: harness.RunInfo{Exit: code}}, err}
	}
	for _, test := range []struct {
		name, mutant string
		trial        trial
		open         bool
	}{
		{"killed", "m", found(clause("A.1", harness.Fail)), false},
		{"inconclusive where it has to fail", "m", found(clause("A.1", harness.Inconclusive)), true},
		{"inconclusive elsewhere", "m", found(clause("A.1", harness.Fail), clause("B.1", harness.Inconclusive)), false},
		{"passed", "m", found(clause("A.1", harness.Pass)), false},
		{"fails elsewhere, which no second trial takes back", "m", found(clause("A.1", harness.Inconclusive), clause("B.1", harness.Fail)), false},
		{"could not be run", "m", trial{err: errors.New("no port")}, false},
		{"the reference is green", correct, ended(harness.ExitGreen, nil), false},
		{"the reference failed", correct, ended(harness.ExitFail, nil), false},
		{"the reference is inconclusive", correct, ended(harness.ExitInconclusive, nil), true},
		{"the reference could not be run", correct, ended(harness.ExitInconclusive, errors.New("no port")), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			k := killing{trials: map[string]trial{test.mutant: test.trial}}
			if got := k.open(stack.Mutant{Name: test.mutant, Kills: []string{"A.1"}}); got != test.open {
				t.Errorf("open is %t", got)
			}
		})
	}
}

func TestWhoMostlyWaits(t *testing.T) {
	judging := func(id, clause string) harness.Scenario {
		return harness.Scenario{ID: id, Checks: []harness.Check{{Clause: harness.ClauseID(clause)}}}
	}
	k := killing{catalogue: harness.Catalogue{Scenarios: []harness.Scenario{
		judging("client/a", "C.1"), judging("gateway/b", "C.1"), judging("retry/c", "C.2"), judging(smoke()[0], "C.3"), judging("client/d", "C.2")}}}
	for clause, patient := range map[string]bool{"C.1": true, "C.2": false, "C.3": true} {
		if got := k.patient(stack.Mutant{Name: "m", Kills: []string{clause}}); got != patient {
			t.Errorf("a mutant of %s is patient: %t", clause, got)
		}
	}
}

func TestWhyAMutantWasNotKilled(t *testing.T) {
	row := kill{Kills: []string{"A.1", "A.2"}}
	clauses := []harness.ClauseResult{
		{ID: "A.1", Verdict: harness.Fail, Reason: "as it should"},
		{ID: "A.2", Verdict: harness.Inconclusive, Reason: "the harness was late"},
		{ID: "B.1", Verdict: harness.Fail, Checks: []harness.CheckResult{
			{Name: "holds", Scenario: "x/y", Verdict: harness.Fail, Reason: "two"}, {Name: "holds-too", Verdict: harness.Pass}}},
		{ID: "B.2", Verdict: harness.Pass},
	}
	for _, test := range []struct {
		name string
		t    trial
		want []string
	}{
		{"one open, one too many", trial{evidence: harness.Evidence{Clauses: clauses}}, []string{
			"A.2 should fail, is inconclusive: the harness was late", "B.1 should not fail:", "    holds in x/y: two"}},
		{"not run", trial{err: errors.New("no such program")}, []string{"could not be run: no such program"}},
		{"killed", trial{evidence: harness.Evidence{Clauses: []harness.ClauseResult{clauses[0]}}}, nil},
	} {
		if got := why(row, test.t); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
