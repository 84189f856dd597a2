package mutants

import (
	"context"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

func conflictMutants() []Mutant {
	return []Mutant{{
		Name:   "conflict-replays",
		Breaks: "answers another request under a used key with the stored answer of the first",
		Kills:  []string{"SRS-CHK-001.34"},
		Wrap: func(c *checkout.Config) {
			replay, busy := c.Replay, c.Busy
			c.Conflict = func(ctx context.Context, r checkout.Record, id string) checkout.Answer {
				if r.State.Terminal() {
					return replay(ctx, r)
				}
				return busy(ctx, r, id)
			}
		},
	}, {
		Name:   "conflict-executes",
		Breaks: "executes another request under a used key",
		Kills:  []string{"SRS-CHK-001.34"},
		Wrap: wrapReserve(func(right reservation) reservation {
			return func(ctx context.Context, r checkout.Record) (checkout.Record, bool, error) {
				stored, created, err := right(ctx, r)
				if err == nil && !created && stored.Fingerprint != r.Fingerprint {
					return right(ctx, elsewhere(r))
				}
				return stored, created, err
			}
		}),
	}}
}
