package harness

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// CapCrashPoints is the capability that the target's process can be made to die
// exactly between two steps of a request.
const CapCrashPoints Capability = "crash-points"

// Crasher makes the target's process die at a named point of a request.
type Crasher interface {
	// Points returns the names of the points.
	Points() []string
	// Arm has the process die when a request of that correlation id comes by the
	// point. It is disarmed if we die, after the lease.
	Arm(ctx context.Context, point, correlationID string, lease time.Duration) (seen string, err error)
	// Died waits until a process has died since it was armed, and brings the target
	// back. It disarms what is armed elsewhere.
	Died(ctx context.Context) (seen string, err error)
	// Disarm ends what was armed.
	Disarm(ctx context.Context) (seen string, err error)
}

// The marks of a crash at a point.
const (
	MarkCrashArmed    = "crash-armed"
	MarkCrashed       = "crashed" // the process died there, and another one answers
	MarkCrashDisarmed = "crash-disarmed"
)

const changeCrash = "told to die at a point"

// CrashPoints returns the points at which the target can be made to die.
func (s *Session) CrashPoints() []string {
	if s.target.Control.Crash == nil {
		return nil
	}
	return slices.Clone(s.target.Control.Crash.Points())
}

// CrashAt has the process of the target die when the case comes by the point,
// sends the attempt, and returns once another process answers.
func (s *Session) CrashAt(ctx context.Context, c *Case, point string, a Attempt) error {
	doing := fmt.Sprintf("have the target die at %s", point)
	crasher := s.target.Control.Crash
	if crasher == nil {
		return s.notOffered(doing, "control.crash")
	}
	if err := s.undisturbed(doing); err != nil {
		return err
	}
	held := &change{name: changeCrash, takes: true, back: func(ctx context.Context) error {
		return s.act(ctx, "disarm the crash at "+point, MarkCrashDisarmed, crasher.Disarm)
	}}
	s.hold(held)
	err := s.act(ctx, doing, MarkCrashArmed, func(ctx context.Context) (string, error) {
		return crasher.Arm(ctx, point, c.CorrelationID, keptFor)
	})
	if err != nil {
		return err
	}
	s.Send(ctx, c, a)
	began := time.Now()
	seen, err := crasher.Died(ctx)
	if err != nil {
		return s.unproven(fmt.Errorf("%s: %w", doing, err))
	}
	s.Note(c, MarkCrashed, seen, map[string]int64{"tookMs": time.Since(began).Milliseconds()})
	held.mu.Lock()
	held.ended = true
	held.mu.Unlock()
	s.forget(held)
	return nil
}

// crashClaims are those about crash points: that one can be armed, and disarmed
// before anything dies.
func (s *Session) crashClaims(wanted func(Capability) bool) []claim {
	crasher := s.target.Control.Crash
	if !wanted(CapCrashPoints) || crasher == nil || len(crasher.Points()) == 0 {
		return nil
	}
	return []claim{{string(CapCrashPoints), "control.crash", func(ctx context.Context, c *Case) (string, error) {
		armed, err := crasher.Arm(ctx, crasher.Points()[0], c.CorrelationID, keptFor)
		if err != nil {
			return "", err
		}
		disarmed, err := crasher.Disarm(ctx)
		return armed + "; then " + disarmed, err
	}}}
}
