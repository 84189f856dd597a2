package mutants

import (
	"context"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

// conflictStateMutants forget that a key is used where its first request did not
// simply succeed.
func conflictStateMutants() []Mutant {
	executes := func(name, breaks string, when func(checkout.Record) bool, needs ...string) Mutant {
		return Mutant{Name: name, Breaks: breaks, Kills: []string{"SRS-CHK-001.34"}, Needs: append([]string{needDependencies}, needs...),
			Wrap: wrapReserve(func(right reservation) reservation {
				return func(ctx context.Context, r checkout.Record) (checkout.Record, bool, error) {
					stored, created, err := right(ctx, r)
					if err == nil && !created && stored.Fingerprint != r.Fingerprint && when(stored) {
						return right(ctx, elsewhere(r))
					}
					return stored, created, err
				}
			})}
	}
	tells := func(name, breaks string, instead func(*checkout.Config, context.Context, checkout.Record, string) (checkout.Answer, bool), needs ...string) Mutant {
		return Mutant{Name: name, Breaks: breaks, Kills: []string{"SRS-CHK-001.34"}, Needs: append([]string{needDependencies}, needs...),
			Wrap: func(c *checkout.Config) {
				right := c.Conflict
				c.Conflict = func(ctx context.Context, r checkout.Record, id string) checkout.Answer {
					if a, told := instead(c, ctx, r, id); told {
						return a
					}
					return right(ctx, r, id)
				}
			}}
	}
	return []Mutant{
		executes("another-card-under-a-declined-key", "executes another request under the key of a declined one",
			func(r checkout.Record) bool { return r.State == checkout.FailedFinal }, needDecline),
		tells("decline-answers-any-body", "answers another request under the key of a declined one with the decline",
			func(c *checkout.Config, ctx context.Context, r checkout.Record, _ string) (checkout.Answer, bool) {
				if r.State != checkout.FailedFinal {
					return checkout.Answer{}, false
				}
				return c.Replay(ctx, r), true
			}, needDecline),
		executes("another-body-after-a-failure", "executes another request under the key of one that failed for a while",
			func(r checkout.Record) bool { return r.State == checkout.FailedRetryable }),
		tells("open-answers-any-body", "says that a checkout is open to whoever comes with its key, whatever else is asked",
			func(c *checkout.Config, ctx context.Context, r checkout.Record, id string) (checkout.Answer, bool) {
				if r.Lock != checkout.Parked {
					return checkout.Answer{}, false
				}
				return c.Busy(ctx, r, id), true
			}),
	}
}
