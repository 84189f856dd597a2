package stack

import (
	"slices"

	"github.com/oncecheck/oncecheck/reference/checkout"
	"github.com/oncecheck/oncecheck/reference/client"
	"github.com/oncecheck/oncecheck/reference/gateway"
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

// breakBy replaces what a mutant replaces in an instance.
func breakBy(m mutants.Mutant, buying *checkout.Config, reading *gateway.Config) {
	if m.Wrap != nil {
		m.Wrap(buying)
	}
	if m.Client != nil {
		m.Client(&reading.Client)
	}
	if m.Gateway != nil {
		m.Gateway(reading)
	}
}

// brokenClient returns what the named mutant makes of a client's configuration.
// An unknown one is refused by the instances, which start first.
func brokenClient(name string, cfg client.Config) client.Config {
	if m, ok := mutants.Named(name); ok && m.Client != nil {
		m.Client(&cfg)
	}
	return cfg
}
