package scenarios

import (
	"context"
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

func inProgress() harness.Scenario {
	every := check.All()
	return harness.Scenario{
		ID:    "idempotency/in-progress",
		Title: "a duplicate that arrives while the first request is at work is told so at once",
		Needs: harness.Needs{"checkout", "dependencies"},
		Drive: func(ctx context.Context, s *harness.Session) error {
			a := harness.Attempt{Principal: s.DefaultPrincipal()}
			return whileHeld(ctx, s, s.Case("held"), a, func(ctx context.Context, c *harness.Case) {
				_ = harness.Parallel(2, func(int) error { impatient(ctx, s, c, a); return nil }) // nothing to fail
			})
		},
		Checks: []harness.Check{
			answers("SRS-CHK-001.42", "duplicate-told-in-progress", check.InProgressRefused(every)),
			invariant("I1", "at-most-once-effect", check.AtMostOnce(every)),
			invariant("I4", "becomes-terminal", check.BecomesTerminal(every)),
		},
	}
}

func concurrentReplay() harness.Scenario {
	every := check.All()
	return harness.Scenario{
		ID:    "idempotency/concurrent-replay",
		Title: "2, 20 and 50 duplicates released together by a barrier make one checkout, and every loser reaches its answer",
		Needs: harness.Needs{"checkout", "effects"},
		Drive: func(ctx context.Context, s *harness.Session) error {
			crowds := []int{2, 20, 50}
			return harness.Parallel(len(crowds), func(i int) error { return driveCrowd(ctx, s, crowds[i]) })
		},
		Checks: []harness.Check{
			overlapping(effects("SRS-CHK-001.44", "never-a-second-checkout", check.EffectsMatchSuccesses(every))),
			overlapping(effects("SRS-CHK-001.44", "at-most-once-effect", check.AtMostOnce(every))),
			overlapping(answers("SRS-CHK-001.45", "losers-converge", check.LosersConverge(every))),
			overlapping(invariant("I1", "at-most-once-effect", check.AtMostOnce(every))),
			overlapping(harness.Check{Name: "one-order-per-key", Invariant: "I2", Judge: check.SameOrderID(every, 1)}),
			invariant("I4", "becomes-terminal", check.BecomesTerminal(every)),
		},
	}
}

// driveCrowd releases n callers of one key together and lets everyone who got
// no terminal answer ask again until there is one.
func driveCrowd(ctx context.Context, s *harness.Session, n int) error {
	c := s.Case(fmt.Sprintf("crowd-of-%d", n))
	a := harness.Attempt{Principal: s.DefaultPrincipal()}
	results, err := s.Together(ctx, c, n, func(int) harness.Attempt { return a })
	if err != nil {
		return err
	}
	limit, cancel := context.WithTimeout(ctx, s.Target().Policy.Client.Total.Std())
	defer cancel()
	return harness.Parallel(n, func(i int) error {
		if r := results[i]; r.Err != nil || !r.Class.Terminal() {
			s.Converge(limit, c, a)
		}
		return nil
	})
}
