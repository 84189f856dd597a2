package main

import (
	"cmp"
	"slices"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/reference/stack"
)

// The verdicts on a mutant.
const (
	killed      = "killed"       // it failed exactly the clauses of its row
	survived    = "survived"     // it failed none of them
	wrongReason = "wrong-reason" // it failed some of them, or others too
)

// matrix is the kill matrix: which broken variant is caught by which clause.
type matrix struct {
	Mutants  []kill   `json:"mutants"`
	Unkilled []string `json:"unkilled"` // judged must-clauses that no killed mutant kills
	Score    score    `json:"score"`
}

type kill struct {
	Name     string   `json:"name"`
	Breaks   string   `json:"breaks"`
	Kills    []string `json:"kills"`    // the clauses of its row
	KilledBy []string `json:"killedBy"` // the clauses that failed
	Verdict  string   `json:"verdict"`
	Why      []string `json:"why,omitempty"` // it was not killed, a line each
}

type score struct {
	Mutants     int `json:"mutants"`
	Killed      int `json:"killed"`
	MustClauses int `json:"mustClauses"`
	MustKilled  int `json:"mustKilled"`
}

// newMatrix compares each row with the clauses that failed on its mutant. Only
// a mutant that is killed for the right reason vouches for a clause.
func newMatrix(rows []stack.Mutant, failed map[string][]string, must []string) matrix {
	m := matrix{Mutants: []kill{}, Unkilled: []string{}}
	vouched := map[string]bool{}
	for _, row := range rows {
		k := kill{Name: row.Name, Breaks: row.Breaks, Kills: sorted(row.Kills), KilledBy: sorted(failed[row.Name])}
		k.Verdict = k.judge()
		if k.Verdict == killed {
			m.Score.Killed++
			for _, clause := range k.Kills {
				vouched[clause] = true
			}
		}
		m.Mutants = append(m.Mutants, k)
	}
	for _, clause := range sorted(must) {
		if vouched[clause] {
			m.Score.MustKilled++
		} else {
			m.Unkilled = append(m.Unkilled, clause)
		}
	}
	m.Score.Mutants, m.Score.MustClauses = len(rows), m.Score.MustKilled+len(m.Unkilled)
	return m
}

func (k kill) judge() string {
	hits := 0
	for _, clause := range k.KilledBy {
		if slices.Contains(k.Kills, clause) {
			hits++
		}
	}
	switch {
	case hits == 0:
		return survived
	case hits == len(k.Kills) && hits == len(k.KilledBy):
		return killed
	}
	return wrongReason
}

// complete reports whether every mutant is killed and every clause vouched for.
func (m matrix) complete() bool {
	return len(m.Mutants) > 0 && m.Score.Killed == len(m.Mutants) && len(m.Unkilled) == 0
}

// failedClauses returns the clauses that the evidence calls failed.
func failedClauses(e harness.Evidence) []string {
	var failed []string
	for _, c := range e.Clauses {
		if c.Verdict == harness.Fail {
			failed = append(failed, string(c.ID))
		}
	}
	return failed
}

// judgedMust returns the must-clauses that the correct reference lets us judge.
func judgedMust(baseline harness.Evidence) []string {
	var must []string
	for _, c := range baseline.Clauses {
		if c.Level == "must" && c.Verdict != harness.NotVerified && c.Verdict != harness.NotApplicable {
			must = append(must, string(c.ID))
		}
	}
	return must
}

// sorted returns the distinct items in order, never nil.
func sorted[T cmp.Ordered](items []T) []T {
	out := append([]T{}, items...)
	slices.Sort(out)
	return slices.Compact(out)
}
