package harness

import (
	"context"
	"fmt"
)

// MarkNotStartedAgain says why the client under test was not started once more.
const MarkNotStartedAgain = "client-not-started-again"

// InAnotherProcess starts the client under test once more and has drive make calls
// of the case with it. Where that is not ours to do, or the command serves one
// process only, nothing is driven and the history says so: that is no fault of
// the experiment.
func (s *Session) InAnotherProcess(ctx context.Context, c *Case, drive func(call func(ClientCall) Result) error) error {
	if s.target.Again == nil {
		s.Note(c, MarkNotStartedAgain, "the client was not started by this run", nil)
		return nil
	}
	client, stop, err := s.target.Again(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("start the client once more: %w", context.Cause(ctx))
		}
		s.Note(c, MarkNotStartedAgain, fmt.Sprintf("start the client once more: %v", err), nil)
		return nil
	}
	defer stop()
	return drive(func(call ClientCall) Result { return s.callBy(ctx, client, c, RouteShim, call) })
}
