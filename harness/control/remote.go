package control

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// Kill implements [harness.Killer]. The supervisor starts the target again by
// itself once the lease is over.
func (r *Remote) Kill(ctx context.Context, lease time.Duration) (string, error) {
	ctx, cancel := r.watch.within(ctx)
	defer cancel()
	var answer struct{ Killed []int }
	seen, err := r.disturb(ctx, "kill", r.watch.gone, lease, &answer, func() error { return named("killed", answer.Killed) }, refusing, silent)
	if err != nil {
		return "", r.through("kill the target", err)
	}
	r.mu.Lock()
	r.killed = answer.Killed
	r.mu.Unlock()
	return fmt.Sprintf("processes %v were killed; a request to the target met: %s", answer.Killed, seen.detail), nil
}

// Start implements [harness.Killer].
func (r *Remote) Start(ctx context.Context) (string, error) {
	ctx, cancel := r.watch.within(ctx)
	defer cancel()
	r.mu.Lock()
	killed := r.killed
	r.killed = nil
	r.mu.Unlock()
	var answer struct{ Started []int }
	err := r.ask(ctx, "start", nil, &answer)
	switch {
	case err != nil:
	case len(answer.Started) == 0:
		if _, err = r.watch.again(ctx); err == nil {
			err = harness.ErrBackBefore
		}
		err = fmt.Errorf("the supervisor had nothing to start: %w", err)
	case len(killed) > 0:
		err = otherProcesses(killed, answer.Started)
	default:
		err = processes("started", answer.Started)
	}
	var seen sight
	if err == nil {
		seen, err = r.watch.again(ctx)
	}
	if err != nil {
		return "", r.through("start the target", err)
	}
	return fmt.Sprintf("processes %v were started; the target answers: %s", answer.Started, seen.detail), nil
}

// Pause implements [harness.Pauser]. The supervisor resumes the target by itself
// once the lease is over.
func (r *Remote) Pause(ctx context.Context, lease time.Duration) (string, error) {
	ctx, cancel := r.watch.within(ctx)
	defer cancel()
	var answer struct{ Paused []int }
	seen, err := r.disturb(ctx, "pause", r.watch.silence, lease, &answer, func() error { return named("paused", answer.Paused) }, silent)
	if err != nil {
		return "", r.through("pause the target", err)
	}
	r.mu.Lock()
	r.paused = answer.Paused
	r.mu.Unlock()
	return fmt.Sprintf("processes %v stand still; a request to the target met: %s", answer.Paused, seen.detail), nil
}

// Resume implements [harness.Pauser].
func (r *Remote) Resume(ctx context.Context) (string, error) {
	ctx, cancel := r.watch.within(ctx)
	defer cancel()
	r.mu.Lock()
	paused := r.paused
	r.paused = nil
	r.mu.Unlock()
	var answer struct{ Resumed []int }
	err := r.ask(ctx, "resume", nil, &answer)
	switch {
	case err != nil:
	case len(answer.Resumed) == 0:
		err = fmt.Errorf("%w: the supervisor had nothing to resume", harness.ErrBackBefore)
	case len(paused) > 0 && !sameProcesses(paused, answer.Resumed):
		err = fmt.Errorf("processes %v were paused and %v go on", paused, answer.Resumed)
	}
	var seen sight
	if err == nil {
		seen, err = r.watch.again(ctx)
	}
	if err != nil {
		return "", r.through("resume the target", err)
	}
	return fmt.Sprintf("processes %v go on; the target answers: %s", answer.Resumed, seen.detail), nil
}

// disturb gives an order and waits until the target looks like it. Silence has to
// last at least so long as least.
func (r *Remote) disturb(ctx context.Context, order string, least, lease time.Duration, out any, check func() error, want ...kind) (sight, error) {
	silence, err := r.watch.answers(ctx, least)
	if err != nil {
		return sight{}, err
	}
	if err := r.ask(ctx, order, map[string]any{"leaseMs": lease.Milliseconds()}, out); err != nil {
		return sight{}, err
	}
	if err := check(); err != nil {
		return sight{}, err
	}
	return r.watch.until(ctx, silence, "seen to fall silent", want...)
}

// named checks that an order met somebody.
func named(what string, pids []int) error {
	if len(pids) == 0 {
		return errors.New("the supervisor names no " + what + " process, so nothing shows that one was")
	}
	return processes(what, pids)
}

func sameProcesses(a, b []int) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}
