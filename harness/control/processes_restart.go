package control

import (
	"context"
	"fmt"
)

// Restart implements [harness.Restarter]. Where there is no command for it, the
// target is killed and started.
func (b *byCommand) Restart(ctx context.Context) (string, error) {
	ctx, cancel := b.watch.within(ctx)
	defer cancel()
	if len(b.Commands.Restart) == 0 {
		killed, err := b.Kill(ctx, 0)
		if err != nil {
			return "", err
		}
		started, err := b.Start(ctx)
		return killed + "; " + started, err
	}
	if _, err := b.watch.answers(ctx, b.watch.silence); err != nil {
		return "", err
	}
	before, err := b.running(ctx)
	if err != nil {
		return "", err
	}
	proof, err := b.restarted(ctx, before)
	if err != nil {
		return "", err
	}
	seen, err := b.watch.again(ctx)
	if err != nil {
		return "", err
	}
	return proof + "; the target answers: " + seen.detail, nil
}

// restarted runs the command and returns what proves that the processes are
// others: their list, or that the target was seen to be gone.
func (b *byCommand) restarted(ctx context.Context, before []string) (string, error) {
	if before != nil {
		if err := b.do(ctx, b.Commands.Restart); err != nil {
			return "", err
		}
		after, err := b.replaced(ctx, before, len(before))
		if err != nil {
			return "", fmt.Errorf("after the restart: %w", err)
		}
		return fmt.Sprintf("instances were %q and are %q", before, after), nil
	}
	// The command may well return when all is over, so we look meanwhile.
	looking, stop := context.WithCancel(ctx)
	defer stop()
	type outcome struct {
		seen sight
		err  error
	}
	gone := make(chan outcome, 1)
	go func() {
		seen, err := b.watch.until(looking, b.watch.silence, "seen to be gone during the restart", refusing)
		gone <- outcome{seen, err}
	}()
	err := b.do(ctx, b.Commands.Restart)
	if err != nil {
		stop()
	}
	o := <-gone
	switch {
	case err != nil:
		return "", err
	case o.err != nil:
		return "", fmt.Errorf("%w; if it comes back too fast to be noticed, declare control.commands.instance", o.err)
	}
	return "meanwhile a request to the target met: " + o.seen.detail, nil
}
