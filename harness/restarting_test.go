package harness

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// slowRestart is down until its restart has come to its end; interrupt is called
// while it is.
type slowRestart struct {
	*controlled
	interrupt func()
	takes     time.Duration
	broken    error
}

func (r *slowRestart) Restart(ctx context.Context) (string, error) {
	_, _ = r.tell("down", true)
	r.interrupt()
	select {
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case <-time.After(r.takes):
	}
	if r.broken != nil {
		return "", r.broken
	}
	return r.controlled.Restart(ctx)
}

// TestAnInterruptedRestartIsCompleted: Ctrl-C must not leave the target down, and
// where it is left down all the same it is said.
func TestAnInterruptedRestartIsCompleted(t *testing.T) {
	no := errors.New("no such program")
	for _, row := range []struct {
		name   string
		broken error
		fails  map[string]error
		told   string
		left   string
	}{
		{"it comes back", nil, nil, "down restart", "[]"},
		{"it fails and is started", no, nil, "down start", "[]"},
		{"it fails and cannot be started", no, map[string]error{"start": no}, "down start start", "[down after a restart: start the target after a restart that was not proven: no such program]"},
	} {
		t.Run(row.name, bubble(func(t *testing.T) {
			c, target := controlledTarget(row.fails)
			ctx, interrupt := context.WithCancel(t.Context())
			target.Control.Restart = &slowRestart{c, interrupt, 20 * time.Second, row.broken}
			x := disturbing(func(ctx context.Context, s *Session) error { return s.Restart(ctx) })
			plan, err := NewPlan(RunInfo{ID: "run-1"}, target.Info, testCatalogue(x), everything)
			if err != nil {
				t.Fatal(err)
			}
			r, err := NewRunner(ctx, target, plan, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			if err := r.Scenario(ctx, x); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(c.told, " "); got != row.told || fmt.Sprint(r.Left()) != row.left {
				t.Errorf("told %q, left %v", got, r.Left())
			}
		}))
	}
}

// TestARestartIsNotCutByThePreflight: its own limit bounds it, and what was begun
// in time is tried to its end.
func TestARestartIsNotCutByThePreflight(t *testing.T) {
	bubble(func(t *testing.T) {
		c, target := claimingTarget(nil, CapProcessControl)
		target.Control.Restart = &slowRestart{c.controlled, func() {}, 40 * time.Second, nil}
		e, _ := run(t, target, testCatalogue(oneOrder()), everything)
		if len(e.Run.Claims) != 1 || !e.Run.Claims[0].Works || e.Run.Exit != ExitGreen {
			t.Errorf("%+v, exit %d", e.Run.Claims, e.Run.Exit)
		}
	})(t)
}

// TestARestartIsNotBegunTooLate: an interrupted scenario does not take the target
// down any more.
func TestARestartIsNotBegunTooLate(t *testing.T) {
	bubble(func(t *testing.T) {
		c, target := controlledTarget(nil)
		x := disturbing(func(ctx context.Context, s *Session) error {
			ended, cancel := context.WithCancel(ctx)
			cancel()
			return s.Restart(ended)
		})
		run(t, target, testCatalogue(x), everything)
		if len(c.told) != 0 {
			t.Errorf("told %q", c.told)
		}
	})(t)
}
