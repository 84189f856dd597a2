package harness

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// The names of the changes that a session may hold.
const (
	changeKilled = "killed"
	changePaused = "paused"
	changeClock  = "clock"
	changeFlag   = "flag " // and its name
)

// change is something that the session did to the target and has to undo.
type change struct {
	name  string
	takes bool // nobody answers while it lasts
	back  func(context.Context) error

	mu    sync.Mutex
	ended bool
	timer *time.Timer // of its lease; nil for what ends with the call that began it
}

// unlease stops the lease.
func (c *change) unlease() {
	if c.timer != nil {
		c.timer.Stop()
	}
}

// presence says whether the session itself keeps the target away from callers.
type presence struct {
	away  bool
	times int // how often it took the target away so far
}

func (s *Session) presence() presence {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.here
}

func (s *Session) takeAway(away bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.here.away = away
	if away {
		s.here.times++
	}
}

// lost records once that the target cannot be reached, unless the scenario took
// it down itself at any time since before: what a target answers after it is
// gone proves nothing.
func (s *Session) lost(before presence, err error) {
	s.mu.Lock()
	ours := before.away || s.here.away || s.here.times != before.times
	first := !s.gone && !ours
	s.gone = s.gone || first
	s.mu.Unlock()
	if first {
		s.Note(nil, MarkLost, err.Error(), nil)
	}
}

// hold registers a change before it is made: half a change has to be undone,
// too. It is undone under a lease, like a fault.
func (s *Session) hold(c *change) {
	c.timer = time.AfterFunc(lease, func() {
		ctx, cancel := context.WithTimeout(context.Background(), backLimit)
		defer cancel()
		s.Note(nil, MarkError, fmt.Sprintf("%s: its lease of %s expired, so it is put back", c.name, lease), nil)
		s.putBack(ctx, c)
	})
	s.register(c)
}

// register keeps in mind that a change has to be undone.
func (s *Session) register(c *change) {
	if c.takes {
		s.takeAway(true)
	}
	s.mu.Lock()
	s.changes = append(s.changes, c)
	s.mu.Unlock()
}

func (s *Session) held(name string) *change {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.changes, func(c *change) bool { return c.name == name })
	if i < 0 {
		return nil
	}
	return s.changes[i]
}

var errNotHeld = errors.New("this scenario did not change it, or it was put back before: its lease expired")

func (s *Session) end(ctx context.Context, name, doing string) error {
	c := s.held(name)
	if c == nil {
		return s.unproven(fmt.Errorf("%s: %w", doing, errNotHeld))
	}
	return s.undo(ctx, c)
}

// undo ends a change. After an error it is still held, and tried again at the
// end of the scenario, unless the error says that it had ended before.
func (s *Session) undo(ctx context.Context, c *change) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return nil
	}
	err := c.back(ctx)
	if err != nil && !errors.Is(err, ErrBackBefore) {
		return err
	}
	c.ended = true
	s.forget(c)
	return err
}

// forget ends the record of a change that is undone, or undid itself.
func (s *Session) forget(c *change) {
	c.unlease()
	s.mu.Lock()
	s.changes = slices.DeleteFunc(s.changes, func(other *change) bool { return other == c })
	s.mu.Unlock()
	if c.takes {
		s.takeAway(false)
	}
}

// backLimit bounds putting one change back. Each control has a limit of its own,
// which is shorter.
const backLimit = 65 * time.Second

// NotPutBack begins what is said of a target that somebody has to mend by hand.
const NotPutBack = "it could not be put back: "

// putBack ends a change for good. A target that could not be put back is not the
// one that was to be tested: nothing is believed of it any more.
func (s *Session) putBack(ctx context.Context, c *change) {
	if err := s.undo(ctx, c); err != nil && !errors.Is(err, ErrBackBefore) {
		s.Note(nil, MarkLost, NotPutBack+err.Error(), nil)
		s.run.leave(c.name + ": " + err.Error())
	}
}

// putAllBack ends what the scenario left changed, the last change first, even if
// the run was interrupted.
func (s *Session) putAllBack(ctx context.Context) {
	s.mu.Lock()
	changes := slices.Clone(s.changes)
	s.mu.Unlock()
	for _, c := range slices.Backward(changes) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), backLimit)
		s.putBack(ctx, c)
		c.unlease()
		cancel()
	}
}
