package harness

import "net/http"

// Fakes is the outside world in this process, for dependencies that say
// fake: provider. Whoever begins a run brings it, since those who open a target
// know it by its profile only, and no fake.
type Fakes interface {
	// Handler answers for the dependency of that name, or is nil if the fakes
	// play no such system.
	Handler(link string) http.Handler
	// The common ledger of all that they answered.
	Probe
}
