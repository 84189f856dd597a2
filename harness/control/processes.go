package control

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// Commands act on a target's processes, each an argument list run without a
// shell. Those left out are not offered.
type Commands struct {
	Kill, Start   []string // Start starts what Kill ended
	Pause, Resume []string
	Restart       []string
	// Instance prints one word for each running process, such as its process id.
	// A word that stays tells of a process that stayed.
	Instance []string
}

// byCommand acts on a target's processes by commands.
type byCommand struct {
	Commands
	runner
	watch watch

	mu     sync.Mutex
	guard  *guard   // of what is killed or paused
	before []string // the instances that were killed
}

// ByCommand returns what the commands can do to the target. They run in the
// folder dir, or in ours if it is empty.
func ByCommand(c Commands, dir string, t Target) harness.Controls {
	if len(c.Start) == 0 {
		c.Start = c.Restart // it starts what is down, too
	}
	b := &byCommand{Commands: c, runner: runner{dir: dir}, watch: newWatch(t)}
	var offered harness.Controls
	kills := len(c.Kill) > 0 && len(c.Start) > 0
	if kills {
		offered.Kill = b
	}
	if len(c.Restart) > 0 || kills {
		offered.Restart = b
	}
	if len(c.Pause) > 0 && len(c.Resume) > 0 {
		offered.Pause = b
	}
	return offered
}

// Kill implements [harness.Killer].
func (b *byCommand) Kill(ctx context.Context, _ time.Duration) (string, error) {
	ctx, cancel := b.watch.within(ctx)
	defer cancel()
	silence, err := b.watch.answers(ctx, b.watch.silence)
	if err != nil {
		return "", err
	}
	before, err := b.running(ctx)
	if err != nil {
		return "", err
	}
	if err := b.disturb(ctx, b.Commands.Kill, b.Commands.Start, before); err != nil {
		return "", err
	}
	// Without a list of processes silence could be that of one which is busy, and
	// with one a refusal could be that of one which ends in order.
	if before == nil {
		seen, err := b.watch.until(ctx, silence, "seen to refuse connections after the kill", refusing)
		return "a request to the target met: " + seen.detail, err
	}
	left, err := b.replaced(ctx, before, 0)
	if err != nil {
		return "", fmt.Errorf("after the kill: %w", err)
	}
	seen := b.watch.look(ctx, silence)
	if seen.kind != refusing && seen.kind != silent {
		return "", fmt.Errorf("after the kill the target did not stay down: instances were %q and are %q, and a request met: %s; if something starts it again by itself, declare this command as control.commands.restart", before, left, seen.detail)
	}
	return fmt.Sprintf("instances were %q and are %q; a request to the target met: %s", before, left, seen.detail), nil
}

// Start implements [harness.Killer].
func (b *byCommand) Start(ctx context.Context) (string, error) {
	ctx, cancel := b.watch.within(ctx)
	defer cancel()
	b.mu.Lock()
	before := b.before
	b.mu.Unlock()
	if s := b.watch.look(ctx, b.watch.silence); s.kind == answering {
		b.release()
		return "", fmt.Errorf("%w: a request to the target met: %s", harness.ErrBackBefore, s.detail)
	}
	if err := b.do(ctx, b.Commands.Start); err != nil {
		return "", err
	}
	var proof string
	if before != nil {
		after, err := b.replaced(ctx, before, len(before))
		if err != nil {
			return "", err
		}
		proof = fmt.Sprintf("instances were %q and are %q; ", before, after)
	}
	seen, err := b.watch.again(ctx)
	if err != nil {
		return "", err
	}
	b.release()
	return proof + "the target answers: " + seen.detail, nil
}

// Pause implements [harness.Pauser].
func (b *byCommand) Pause(ctx context.Context, _ time.Duration) (string, error) {
	ctx, cancel := b.watch.within(ctx)
	defer cancel()
	silence, err := b.watch.answers(ctx, b.watch.silence)
	if err != nil {
		return "", err
	}
	if err := b.disturb(ctx, b.Commands.Pause, b.Commands.Resume, nil); err != nil {
		return "", err
	}
	seen, err := b.watch.until(ctx, silence, "seen to stand still", silent)
	return "a request to the target met: " + seen.detail, err
}

// Resume implements [harness.Pauser].
func (b *byCommand) Resume(ctx context.Context) (string, error) {
	ctx, cancel := b.watch.within(ctx)
	defer cancel()
	before := b.watch.look(ctx, b.watch.silence)
	if err := b.do(ctx, b.Commands.Resume); err != nil {
		return "", err
	}
	seen, err := b.watch.again(ctx)
	if err != nil {
		return "", err
	}
	b.release()
	if before.kind == answering {
		return "", fmt.Errorf("%w: before the command a request to the target met: %s", harness.ErrBackBefore, before.detail)
	}
	return "the target answers: " + seen.detail, nil
}

// disturb runs a command under the guard of one that undoes it.
func (b *byCommand) disturb(ctx context.Context, argv, back, before []string) error {
	g, err := b.runner.guard(back)
	if err != nil {
		return err
	}
	b.release() // one that was left of an earlier disturbance has the same to do
	b.mu.Lock()
	b.guard, b.before = g, before
	b.mu.Unlock()
	return b.under(g).do(ctx, argv)
}

func (b *byCommand) release() {
	b.mu.Lock()
	g := b.guard
	b.guard = nil
	b.mu.Unlock()
	g.release()
}

// running returns the instances, nil where no command tells them. There has to
// be one.
func (b *byCommand) running(ctx context.Context) ([]string, error) {
	if len(b.Instance) == 0 {
		return nil, nil
	}
	found, err := b.instances(ctx)
	if err == nil && len(found) == 0 {
		err = errors.New("control.commands.instance names no running process")
	}
	if err != nil {
		return nil, err
	}
	// A word that changes by itself would prove any restart.
	timer := time.NewTimer(steadiness)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-timer.C:
	}
	again, err := b.instances(ctx)
	if err == nil && !slices.Equal(found, again) {
		err = fmt.Errorf("control.commands.instance said %q and then %q although nothing was done: it has to name processes", found, again)
	}
	return found, err
}

// steadiness is how far apart the instances are read before anything is done.
const steadiness = 200 * time.Millisecond

// instances returns the words that the command prints. Tools that list processes
// exit with a status when there is none, and say nothing.
func (b *byCommand) instances(ctx context.Context) ([]string, error) {
	out := &bounded{max: maxAnswer}
	said, err := b.run(ctx, b.Instance, out)
	exit := (*exec.ExitError)(nil)
	if errors.As(err, &exit) && ctx.Err() == nil && said == "" && len(out.kept) == 0 {
		err = nil
	}
	if err == nil && out.more {
		err = errors.New("control.commands.instance printed more than it can mean")
	}
	return strings.Fields(string(out.kept)), err
}

// listPause is how long the list of processes is left alone between two readings.
const listPause = 50 * time.Millisecond

// replaced waits until none of the instances of before is there any more, and at
// least so many others are. It returns those.
func (b *byCommand) replaced(ctx context.Context, before []string, least int) ([]string, error) {
	tick := time.NewTicker(listPause)
	defer tick.Stop()
	last := errors.New("the list of them was never read")
	for {
		now, err := b.instances(ctx)
		stayed := slices.DeleteFunc(slices.Clone(now), func(word string) bool { return !slices.Contains(before, word) })
		switch {
		case err == nil && len(stayed) > 0:
			last = fmt.Errorf("instances were %q and are %q still", before, stayed)
		case err == nil && len(now) < least:
			last = fmt.Errorf("instances were %q and are only %q", before, now)
		case err == nil:
			return now, nil
		case ctx.Err() == nil: // else the reading was cut short and tells nothing
			last = err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%w: %w", last, context.Cause(ctx))
		case <-tick.C:
		}
	}
}
