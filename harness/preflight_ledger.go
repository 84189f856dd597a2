package harness

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// What acts on the target's processes may take the ledger with it. One that is
// kept in the memory of what is killed begins anew, with the numbers that it had
// before: what a scenario then reads after its own place in the ledger is less
// than what was done, and a second charge goes unseen.

// remember returns what the ledger shows of the run before controls are tried.
func (s *Session) remember(ctx context.Context, wanted bool) ([]Effect, error) {
	if !wanted || s.target.Probe == nil || ctx.Err() != nil {
		return nil, nil
	}
	effects, err := s.target.Probe.Effects(ctx, s.run.began)
	if err != nil {
		return nil, fmt.Errorf("read the ledger before the controls are tried: %w", err)
	}
	return effects, nil
}

// remembers fails if the ledger does not show any more what it showed before the
// claim was tried.
func (s *Session) remembers(ctx context.Context, before []Effect, cl claim) error {
	if len(before) == 0 || over(ctx) {
		return nil
	}
	reading, cancel := context.WithTimeout(context.WithoutCancel(ctx), actLimit)
	defer cancel()
	var effects []Effect
	err := errors.New("it was not read")
	for err != nil && reading.Err() == nil { // it may come back after what answers
		if effects, err = s.target.Probe.Effects(reading, s.run.began); err != nil {
			watch(reading, time.Now().Add(quietWindow))
		}
	}
	if err != nil {
		return fmt.Errorf("read the ledger after the claim %s was tried: %w", cl.name, err)
	}
	shown := map[Effect]bool{}
	for _, e := range effects {
		shown[timeless(e)] = true
	}
	gone := 0
	for _, e := range before {
		if !shown[timeless(e)] {
			gone++
		}
	}
	if gone > 0 {
		return fmt.Errorf("the ledger forgot %s when the claim %s was tried; keep it outside of the target's processes, or leave out %s", entries(gone), cl.name, cl.key)
	}
	return nil
}

// timeless is an entry without its time, which a ledger may write as it likes.
func timeless(e Effect) Effect {
	e.At = ""
	return e
}

func entries(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", n)
}
