package reports

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/oncecheck/oncecheck/harness"
)

// JSON renders evidence.json: two spaces of indentation, and every list an
// array, never null, so that scripts may iterate without asking.
func JSON(w io.Writer, e harness.Evidence) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(withArrays(e)); err != nil {
		return fmt.Errorf("encode the evidence: %w", err)
	}
	return nil
}

// withArrays returns e with empty lists in place of nil ones. The caller's
// lists are left as they are.
func withArrays(e harness.Evidence) harness.Evidence {
	e.Scenarios = slices.Clone(filled(e.Scenarios))
	for i := range e.Scenarios {
		e.Scenarios[i].Faults = filled(e.Scenarios[i].Faults)
	}
	e.Clauses = slices.Clone(filled(e.Clauses))
	for i := range e.Clauses {
		e.Clauses[i].Checks = checksWithArrays(e.Clauses[i].Checks)
	}
	e.Invariants = slices.Clone(filled(e.Invariants))
	for i := range e.Invariants {
		e.Invariants[i].Checks = checksWithArrays(e.Invariants[i].Checks)
	}
	e.NFRs, e.NotProven = filled(e.NFRs), filled(e.NotProven)
	e.Target.Capabilities, e.Target.Principals = filled(e.Target.Capabilities), filled(e.Target.Principals)
	if e.Effects == nil {
		e.Effects = map[string]harness.EffectTotals{}
	}
	return e
}

func checksWithArrays(checks []harness.CheckResult) []harness.CheckResult {
	checks = slices.Clone(filled(checks))
	for i := range checks {
		checks[i].Witness = filled(checks[i].Witness)
	}
	return checks
}

func filled[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
