package harness

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// MarkAbandoned says that a caller hung up on an attempt and that the target's
// side of the connection has ended.
const MarkAbandoned = "abandoned"

var errHungUp = errors.New("the caller hung up")

// hangUpLimit bounds how long the client link takes to pass on that a caller left.
const hangUpLimit = 2 * time.Second

// Abandon sends an attempt and hangs up on it once when has returned, or, where
// half of it is to be sent, after that. It returns once the connection to the
// target has ended as well. Where describes the point for a reader. It fails if
// there was an answer before, or if when does.
func (s *Session) Abandon(ctx context.Context, c *Case, a Attempt, where string, when func(context.Context) error) error {
	before := s.abandoned(c)
	calling, hangUp := context.WithCancelCause(ctx)
	defer hangUp(nil)
	waited := make(chan error, 1)
	go func() {
		if a.Half {
			waited <- nil
			return
		}
		err := when(calling)
		hangUp(errHungUp)
		waited <- err
	}()
	r := s.Send(calling, c, a)
	hangUp(nil) // whoever waits for a call that has ended waits in vain
	err := <-waited
	doing := fmt.Sprintf("abandon a %s of %s %s", OpCheckout, c.ID, where)
	switch {
	case r.Err == nil:
		return fmt.Errorf("%s: it was answered %s before the caller hung up", doing, r.describe())
	case isNotSent(r.Err):
		return fmt.Errorf("%s: %w", doing, r.Err)
	case err != nil:
		return fmt.Errorf("%s: %w", doing, err)
	}
	if err := s.passedOn(ctx, c, before); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	s.Note(c, MarkAbandoned, where, nil)
	return nil
}

// abandoned counts the exchanges of the case that reached the target and whose
// callers left.
func (s *Session) abandoned(c *Case) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hungUp[c.ID]
}

// passedOn waits until the client link has told of one more such exchange: it
// does once the connection behind it has ended.
func (s *Session) passedOn(ctx context.Context, c *Case, before int) error {
	ctx, cancel := context.WithTimeoutCause(ctx, hangUpLimit, fmt.Errorf("the client link told nothing within %s", hangUpLimit))
	defer cancel()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for s.abandoned(c) <= before {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("wait until the target's connection ended: %w", context.Cause(ctx))
		}
	}
	return nil
}
