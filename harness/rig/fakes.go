package rig

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/oncecheck/oncecheck/harness"
)

// Fakes is the outside world in this process, for dependencies that say
// fake: provider. Whoever opens the rig brings it: a rig knows a target by its
// profile only, and no fake.
type Fakes interface {
	// Handler answers for the dependency of that name, or is nil if the fakes
	// play no such system.
	Handler(link string) http.Handler
	// The common ledger of all that they answered.
	harness.Probe
}

// errNoFakes says why a profile that works in one place does not in another.
var errNoFakes = errors.New("fake: provider is answered by the command only: use oncecheck run --profile FILE, or declare listen and upstream")

// fakesOf returns the fakes of this run, one world for all its dependencies.
func (r *Rig) fakesOf(o Options) (Fakes, error) {
	switch {
	case r.fakes != nil:
	case o.Fakes == nil:
		return nil, errNoFakes
	default:
		r.fakes = o.Fakes()
	}
	return r.fakes, nil
}

func (r *Rig) fakeOf(link string, o Options) (http.Handler, error) {
	fakes, err := r.fakesOf(o)
	if err != nil {
		return nil, err
	}
	handler := fakes.Handler(link)
	if handler == nil {
		return nil, fmt.Errorf("our provider fake plays no %q; name the dependency payment, inventory or orders, or declare an upstream", link)
	}
	return handler, nil
}
