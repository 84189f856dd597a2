package scenarios

import (
	"context"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

func replayHeaders() harness.Scenario {
	every := check.All()
	return harness.Scenario{
		ID:    "idempotency/replay-headers",
		Title: "the first answer brings the created result; a replay has its headers, Location first, and a date and cookies of its own",
		Needs: harness.Needs{"checkout"},
		Drive: func(ctx context.Context, s *harness.Session) error {
			c, a := s.Case("much-later"), harness.Attempt{Principal: s.DefaultPrincipal()}
			s.Send(ctx, c, a)
			for range nearReplays { // enough of them that what is new with each shows itself
				s.Send(ctx, c, a)
			}
			pause(ctx, nextDate)
			s.Send(ctx, c, a)
			return nil
		},
		Checks: []harness.Check{
			answers("SRS-CHK-001.41", "created-with-its-result", check.CreatedResult(every)),
			answers("SRS-CHK-001.31", "headers-of-the-answer-and-not-of-its-delivery", check.EachSucceeded(every, check.HeadersReplayed(every))),
		},
	}
}

const nearReplays = 3

// nextDate is after how long an answer cannot have the date of an earlier one.
const nextDate = 1200 * time.Millisecond

// pause waits, at most until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
