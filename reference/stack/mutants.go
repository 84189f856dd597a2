package stack

import (
	"slices"

	"github.com/oncecheck/oncecheck/reference/mutants"
)

// Mutant is a row of the list of broken variants that [Options.Mutant] serves.
type Mutant struct {
	Name   string
	Breaks string   // one sentence
	Kills  []string // ids of the clauses that a suite must report as failed
	Needs  []string // capabilities without which it cannot be noticed
}

// Mutants returns every broken variant, in a fixed order. What exactly each one
// breaks stays in the process that serves it: a suite that could look would be
// judging the code, not the behaviour.
func Mutants() []Mutant {
	var rows []Mutant
	for _, m := range mutants.All() {
		rows = append(rows, Mutant{Name: m.Name, Breaks: m.Breaks, Kills: slices.Clone(m.Kills), Needs: slices.Clone(m.Needs)})
	}
	return rows
}
