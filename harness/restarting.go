package harness

import (
	"context"
	"errors"
	"fmt"
)

// changeRestart is what is held while the target is restarted.
const changeRestart = "down after a restart"

// Restart kills the target without warning and waits until another process of
// it answers. Once begun it goes on to its own limit, whatever becomes of ctx:
// half a restart is a target that is down. What fails is followed by a start, so
// that it is not left so either.
func (s *Session) Restart(ctx context.Context) error {
	const doing = "restart the target"
	restarter := s.target.Control.Restart
	if restarter == nil {
		return s.notOffered(doing, "control.http or control.commands.restart")
	}
	if err := s.undisturbed(doing); err != nil {
		return err
	}
	if err := context.Cause(ctx); err != nil {
		return s.unproven(fmt.Errorf("%s: nothing was done: %w", doing, err))
	}
	c := &change{name: changeRestart, takes: true, back: func(ctx context.Context) error { return s.start(ctx, restarter) }}
	s.register(c)
	restarting, cancel := context.WithTimeout(context.WithoutCancel(ctx), backLimit)
	defer cancel()
	err := s.act(restarting, doing, MarkRestarted, restarter.Restart)
	if err == nil {
		s.forget(c)
		return nil
	}
	starting, cancelStarting := context.WithTimeout(context.WithoutCancel(ctx), backLimit)
	defer cancelStarting()
	if undone := s.undo(starting, c); undone != nil && !errors.Is(undone, ErrBackBefore) {
		err = fmt.Errorf("%w; %w", err, undone)
	}
	return err
}

// start brings back what a restart left down. That it was never down is no
// failure of its own: the restart's is recorded.
func (s *Session) start(ctx context.Context, restarter Restarter) error {
	const doing = "start the target after a restart that was not proven"
	seen, err := restarter.Start(ctx)
	switch {
	case errors.Is(err, ErrBackBefore):
		return err
	case err != nil:
		return s.unproven(fmt.Errorf("%s: %w", doing, err))
	}
	s.Note(s.saw(seen), MarkStarted, seen, nil)
	return nil
}
