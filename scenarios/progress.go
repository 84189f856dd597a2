package scenarios

import (
	"context"
	"fmt"
	"slices"

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
			answers("SRS-CHK-001.42", "duplicate-told-in-progress", check.Literally(check.InProgressSpelling, check.InProgressRefused(every))),
			answers("SRS-CHK-001.43", "duplicate-told-what-to-do", check.InProgressGuides(every)),
			invariant("I1", "at-most-once-effect", check.AtMostOnce(every)),
			invariant("I4", "becomes-terminal", check.BecomesTerminal(every)),
		},
	}
}

func concurrentReplay() harness.Scenario {
	every := check.All()
	return harness.Scenario{
		ID:    "idempotency/concurrent-replay",
		Title: "2, 20 and 50 duplicates, several rounds of each, released together by a barrier, make one checkout a round, and every loser reaches its answer",
		Needs: harness.Needs{"checkout", "effects"},
		Drive: driveCrowds,
		Checks: []harness.Check{
			overlapping(effects("SRS-CHK-001.44", "never-a-second-checkout", check.EachSucceeded(every, check.EffectsMatchSuccesses(every)))),
			overlapping(effects("SRS-CHK-001.44", "at-most-once-effect", check.EachSucceeded(every, check.AtMostOnce(every)))),
			overlapping(answers("SRS-CHK-001.45", "losers-converge", check.EachSucceeded(every, check.LosersConverge(every)))),
			overlapping(invariant("I1", "at-most-once-effect", check.AtMostOnce(every))),
			overlapping(harness.Check{Name: "one-order-per-key", Invariant: "I2", Judge: check.SameOrderID(every, 1)}),
			invariant("I4", "becomes-terminal", check.BecomesTerminal(every)),
		},
	}
}

// crowds are the sizes of the rounds, one round after the other: a race that is
// won by microseconds is lost once in so many rounds, not in one. A target whose
// profile asks to be spared gets one round of each.
func crowds(limits harness.Limits) []int {
	if limits != (harness.Limits{}) {
		return []int{2, 20, 50}
	}
	return slices.Concat(slices.Repeat([]int{2}, 5), slices.Repeat([]int{20}, 15), slices.Repeat([]int{50}, 5))
}

// driveCrowds releases the callers of one key together, round by round, and then
// lets everyone who got no terminal answer ask again until there is one.
func driveCrowds(ctx context.Context, s *harness.Session) error {
	a := harness.Attempt{Principal: s.DefaultPrincipal()}
	var losers []*harness.Case
	for round, n := range crowds(s.Target().Limits) {
		c := s.Case(fmt.Sprintf("round-%d-of-%d", round+1, n))
		results, err := s.Together(ctx, c, n, func(int) harness.Attempt { return a })
		if err != nil {
			return err
		}
		for _, r := range results {
			if r.Err != nil || !r.Class.Terminal() {
				losers = append(losers, c)
			}
		}
	}
	limit, cancel := context.WithTimeout(ctx, s.Target().Policy.Client.Total.Std())
	defer cancel()
	return harness.Parallel(len(losers), func(i int) error {
		s.Converge(limit, losers[i], a)
		return nil
	})
}
