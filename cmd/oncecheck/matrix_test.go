package main

import (
	"slices"
	"testing"

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
