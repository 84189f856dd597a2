package mutants

import (
	"slices"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

// What a target must offer for a mutant to be noticed.
const (
	needEffects         = "effects"
	needDependencies    = "dependencies"
	needSecondTenant    = "second-tenant"
	needSecondPrincipal = "second-principal"
	needDecline         = "decline"
)

// Mutant is one broken variant.
type Mutant struct {
	Name   string   // the sin
	Breaks string   // one sentence
	Kills  []string // ids of the clauses that must fail
	Needs  []string // capabilities without which it cannot be noticed
	Wrap   func(*checkout.Config)
}

// All returns every mutant in a fixed order.
func All() []Mutant {
	return slices.Concat(keyMutants(), scopeMutants(), replayMutants(), conflictMutants(),
		progressMutants(), retryMutants(), providerMutants(), statusMutants())
}

// Named returns the mutant of that name.
func Named(name string) (Mutant, bool) {
	all := All()
	i := slices.IndexFunc(all, func(m Mutant) bool { return m.Name == name })
	if i < 0 {
		return Mutant{}, false
	}
	return all[i], true
}
