package scenarios

import (
	"context"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// replayEvent stands beside [replaySuccess] and is none of its checks: an outbox
// that cannot be read says nothing against what the ledger shows.
func replayEvent() harness.Scenario {
	every := check.All()
	return harness.Scenario{
		ID:    "idempotency/replay-event",
		Title: "a finished checkout sent ten times more tells nobody of it again",
		Needs: harness.Needs{"checkout", "outbox-probe"},
		Drive: driveReplayEvent,
		Checks: []harness.Check{
			supplement(answers("SRS-CHK-001.32", "no-event-on-replay", check.EachSucceeded(every, check.NoEventOnReplay(every)))),
		},
	}
}

// driveReplayEvent reads the outbox at either end of the replays.
func driveReplayEvent(ctx context.Context, s *harness.Session) error {
	c := s.Case("replayed")
	a := harness.Attempt{Principal: s.DefaultPrincipal()}
	s.Send(ctx, c, a)
	if err := outboxAtRest(ctx, s); err != nil {
		return err
	}
	s.Note(c, check.MarkReplays, "", nil)
	for range repeats {
		s.Send(ctx, c, a)
	}
	return outboxAtRest(ctx, s)
}

// outboxAtRest waits until all that the scenario set in motion has come to rest, and
// then until the outbox has.
func outboxAtRest(ctx context.Context, s *harness.Session) error {
	if err := s.Rest(ctx); err != nil {
		return err
	}
	return s.ReadOutbox(ctx)
}
