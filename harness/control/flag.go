package control

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// Flag switches a feature of a target.
type Flag struct {
	on, off, state Step
	runner         runner
	limit          time.Duration

	mu    sync.Mutex
	away  bool   // it is not as it was
	was   bool   // before it was switched first
	guard *guard // switches it back if we die; nil where a request does it
}

var _ harness.Flag = (*Flag)(nil)

// NewFlag returns the flag that the steps switch on and off; in them {{leaseMs}}
// is the milliseconds after which the target is to switch it back by itself, 0
// where it is being switched back. What state says is one of on, true, 1, enabled,
// off, false, 0, disabled. Commands run in dir. A limit of 0 is 30 s.
func NewFlag(on, off, state Step, dir string, limit time.Duration) *Flag {
	if limit == 0 {
		limit = defaultLimit
	}
	return &Flag{on: on, off: off, state: state, runner: runner{dir: dir}, limit: limit}
}

// State implements [harness.Flag].
func (f *Flag) State(ctx context.Context) (bool, error) {
	ctx, cancel := f.within(ctx)
	defer cancel()
	return f.read(ctx)
}

func (f *Flag) within(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, f.limit, fmt.Errorf("it was given up after %v", f.limit))
}

func (f *Flag) read(ctx context.Context) (bool, error) {
	text, err := f.runner.carry(ctx, f.state, nil)
	if err != nil {
		return false, fmt.Errorf("read the flag: %w", err)
	}
	switch strings.ToLower(text) {
	case "on", "true", "1", "enabled":
		return true, nil
	case "off", "false", "0", "disabled":
		return false, nil
	}
	return false, fmt.Errorf("read the flag: what it says is none of on, true, 1, enabled, off, false, 0, disabled")
}

// Set implements [harness.Flag]. It waits until the flag reads as it was set.
func (f *Flag) Set(ctx context.Context, on bool, lease time.Duration) (string, error) {
	ctx, cancel := f.within(ctx)
	defer cancel()
	f.mu.Lock()
	defer f.mu.Unlock()
	was, err := f.read(ctx)
	if err != nil {
		return "", err
	}
	if err := f.watchOver(was, on); err != nil {
		return "", err
	}
	if !f.away || on == f.was {
		lease = 0 // it stays
	}
	if _, err := f.runner.under(f.guard).carry(ctx, f.step(on), map[string]any{leaseName: lease.Milliseconds()}); err != nil {
		return "", err
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		is, err := f.read(ctx)
		if err == nil && is == on {
			break
		}
		select {
		case <-ctx.Done():
			if err == nil {
				err = errors.New("it reads " + word(is))
			}
			return "", fmt.Errorf("the flag was set to %s and does not read so: %w; %w", word(on), err, context.Cause(ctx))
		case <-tick.C:
		}
	}
	if on == f.was {
		f.guard.release()
		f.guard, f.away = nil, false
	}
	return fmt.Sprintf("the flag read %s and reads %s", word(was), word(on)), nil
}

// watchOver has the flag switched back if we die, where a command can do it. A
// request carries its lease instead.
func (f *Flag) watchOver(was, on bool) error {
	if was == on || f.away {
		return nil
	}
	if f.step(was).URL == "" {
		g, err := f.runner.guard(f.step(was).argv(map[string]any{leaseName: 0}))
		if err != nil {
			return err
		}
		f.guard = g
	}
	f.away, f.was = true, was
	return nil
}

func (f *Flag) step(on bool) Step {
	if on {
		return f.on
	}
	return f.off
}

func word(on bool) string {
	if on {
		return "on"
	}
	return "off"
}
