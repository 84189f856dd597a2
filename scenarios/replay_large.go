package scenarios

import (
	"context"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// largeRepeats is how often a large answer is asked for again.
const largeRepeats = 3

func replayLarge() harness.Scenario {
	every := check.All()
	return harness.Scenario{
		ID:    "idempotency/replay-large",
		Title: "an answer of 5 MiB is kept like any other, or its key is at least",
		Needs: harness.Needs{"checkout", "effects", string(harness.CapLargeAnswer)},
		Drive: func(ctx context.Context, s *harness.Session) error {
			c, a := s.Case("large"), harness.Attempt{Principal: s.DefaultPrincipal(), Variant: "large"}
			for range 1 + largeRepeats {
				s.Send(ctx, c, a)
			}
			return nil
		},
		Checks: []harness.Check{
			answers("SRS-CHK-001.53", "large-answer-remembered", check.LargeReplayed(every, largeRepeats)),
			effects("SRS-CHK-001.53", "one-effect-of-each-kind", check.EachSucceeded(every, check.EffectsMatchSuccesses(every))),
			invariant("I1", "at-most-once-effect", check.AtMostOnce(every)),
		},
	}
}
