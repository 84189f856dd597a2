package harness

import (
	"slices"
	"strings"
)

// Capability is one thing a target lets us do or see. A capability exists when
// the profile declares it and the preflight proved it.
type Capability string

// The capabilities that the clause register asks for.
const (
	CapCheckout        Capability = "checkout"
	CapStatus          Capability = "status"
	CapSecondOperation Capability = "second-operation"
	CapSecondVersion   Capability = "second-version"
	CapSecondPrincipal Capability = "second-principal"
	CapSecondTenant    Capability = "second-tenant"
	CapSupportRole     Capability = "support-role"
	CapOtherRole       Capability = "other-role" // than that of support
	CapEffects         Capability = "effects"
	CapDependencies    Capability = "dependencies"
	CapProcessControl  Capability = "process-control" // restart it
	CapProcessKill     Capability = "process-kill"    // and keep it down
	CapProcessPause    Capability = "process-pause"
	CapClock           Capability = "clock"
	CapFeatureFlag     Capability = "feature-flag"
	CapDecline         Capability = "decline"
	CapKeyless         Capability = "keyless"           // a dependency operation that takes no keys
	CapRefusals        Capability = "provider-refusals" // the refusals of a dependency, in its words
)

// Needs is a conjunction of alternatives: each element is one capability or
// several joined by "|", of which one is enough.
type Needs []string

// ParseNeeds reads the register's notation, "checkout effects|dependencies".
func ParseNeeds(text string) Needs { return strings.Fields(text) }

// Missing returns the elements of n that have does not satisfy, in order.
func (n Needs) Missing(have []Capability) []string {
	var missing []string
	for _, need := range n {
		if !slices.ContainsFunc(strings.Split(need, "|"), func(c string) bool {
			return slices.Contains(have, Capability(c))
		}) {
			missing = append(missing, need)
		}
	}
	return missing
}
