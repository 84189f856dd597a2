package harness

import (
	"cmp"
	"errors"
	"fmt"
	"sync"
)

// A client whose shim is in no process of the target can be disturbed, and
// counted, while the target is, and the other way round. What keeps the two
// scenarios from each other does not rest on what they are meant to do: one that
// has the client for itself can neither change the target nor call it, and while
// it has, nobody else can call the client.

// holder says which scenario has the client behind the shim for itself.
type holder struct {
	mu       sync.Mutex
	scenario string
}

// take gives the client to a scenario, and returns what gives it back.
func (h *holder) take(scenario string) (back func()) {
	h.set(scenario)
	return func() { h.set("") }
}

func (h *holder) set(scenario string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.scenario = scenario
}

func (h *holder) of() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.scenario
}

// errApart marks the error of a request that was not sent because another
// scenario may be at work where it goes. It is recorded when it is refused.
var errApart = errors.New("another scenario may be at work there")

// mayCall refuses a call that is not the scenario's to make, and records it: what
// it would have met is another scenario's doing.
func (s *Session) mayCall(c *Case, route Route) error {
	var why string
	switch held := s.run.client.of(); {
	case s.clientOnly && route != RouteShim:
		why = "it disturbs the client only, and others use the target meanwhile"
	case held != "" && held != s.id && route == RouteShim:
		why = "scenario " + held + " has the client for itself"
	default:
		return nil
	}
	err := fmt.Errorf("%w: %w: scenario %s may not call the %s: %s", ErrNotSent, errApart, s.id, cmp.Or(route, "target"), why)
	s.Note(c, MarkError, err.Error(), nil)
	return err
}

// clientApart reports whether the client is known to be in no process of the
// target.
func (t TargetInfo) clientApart() bool { return t.Client != nil && t.Client.Apart }
