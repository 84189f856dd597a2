package harness

import (
	"fmt"
	"maps"
	"slices"
)

// The features that the suite knows and a flag may switch.
const (
	FlagResilience = "resilience"  // retries and fallback
	FlagRequireKey = "require-key" // requests without an idempotency key are refused
)

// Features returns all of them.
func Features() []string { return []string{FlagResilience, FlagRequireKey} }

// The capabilities of a target that has a flag for one of them.
const (
	CapResilienceFlag Capability = "resilience-flag"
	CapKeyFlag        Capability = "require-key-flag"
)

// Flag returns the name of the flag that switches a feature.
func (s *Session) Flag(feature string) (string, error) {
	if name, ok := s.target.Control.Features[feature]; ok {
		return name, nil
	}
	names := slices.Sorted(maps.Keys(s.target.Control.Flags))
	return "", s.unproven(fmt.Errorf("of the flags %v none is for %s; say so in control.flag.NAME.for", names, feature))
}
