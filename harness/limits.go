package harness

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Limits is the load that a target is asked to bear over all scenarios of a run.
// A zero member sets no limit.
type Limits struct {
	Rate        float64 `json:"rate,omitempty"`        // requests per second
	Concurrency int     `json:"concurrency,omitempty"` // requests in flight at once
	Requests    int     `json:"requests,omitempty"`    // requests in all, repetitions by the engine among them
}

// Jobs returns how many scenarios may run side by side: no more than asked, and
// so few that their requests need not queue for long. What waits too long spoils
// experiments that hold one request while they send another.
func (l Limits) Jobs(asked int) int {
	const each = 4 // requests that a scenario has in flight at once, most of the time
	if l.Concurrency > 0 {
		asked = min(asked, l.Concurrency/each)
	}
	if l.Rate > 0 {
		asked = min(asked, int(l.Rate)/each)
	}
	return max(asked, 1)
}

// ErrWithheld marks the error of a request that the run's own limits held back.
// It comes with [ErrNotSent], and says nothing about the target.
var ErrWithheld = errors.New("held back by the run's own limits")

// Admitter is a [Sender] with limits. Waiting for them is no part of sending, so
// the engine does it first: patience, timings and barriers begin afterwards.
type Admitter interface {
	// Admit waits until n requests may be in flight at once. The next n sends
	// under the returned context are not held up again; release gives back what
	// they hold and has to be called. An urgent request goes before those that
	// wait already: others in flight depend on it. An error wraps ErrNotSent and
	// ErrWithheld.
	Admit(ctx context.Context, n int, urgent bool) (admitted context.Context, release func(), err error)
}

// MarkWithheld says that the run's own limits kept the experiment from what it
// needs: what is missing or late then is not the target's fault.
const MarkWithheld = "withheld"

func (s *Session) admit(ctx context.Context, n int, urgent bool) (context.Context, func(), error) {
	limited, ok := s.target.Sender.(Admitter)
	if !ok {
		return ctx, func() {}, nil
	}
	return limited.Admit(ctx, n, urgent)
}

// withheld records once why the limits spoiled the experiment.
func (s *Session) withheld(c *Case, detail string) {
	s.mu.Lock()
	first := !s.spoiled
	s.spoiled = true
	s.mu.Unlock()
	if first {
		s.Note(c, MarkWithheld, detail, nil)
	}
}

// lateness is how long a request may wait for the limits before that counts as a
// disturbance: well below what holds a request in the middle of its work.
func (s *Session) lateness() time.Duration {
	return min(time.Second, s.target.Info.Policy.Client.Read.Std()/4)
}

// delayed notes a wait that spoiled the experiment: others of the case were in
// flight and went on, or the caller's time ran out over it.
func (s *Session) delayed(ctx context.Context, c *Case, waited time.Duration, beside bool, err error) {
	if waited <= s.lateness() {
		return
	}
	const hint = "raise limits.rate or limits.concurrency, or run fewer scenarios at once (--jobs)"
	switch {
	case beside:
		s.withheld(c, fmt.Sprintf("a request waited %s for the run's limits while another of its case was in flight; %s", waited.Round(time.Millisecond), hint))
	case err != nil && ctx.Err() != nil:
		s.withheld(c, fmt.Sprintf("a request waited %s for the run's limits, and its caller's time was over before an answer came; %s", waited.Round(time.Millisecond), hint))
	}
}

// enter and leave count the case's requests in flight. Enter tells how many
// there were before.
func (c *Case) enter() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inFlight++
	return c.inFlight - 1
}

func (c *Case) leave() {
	c.mu.Lock()
	c.inFlight--
	c.mu.Unlock()
}

func (c *Case) busy() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.inFlight > 0
}
