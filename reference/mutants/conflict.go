package mutants

import (
	"bytes"
	"context"
	"sync"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

func conflictMutants() []Mutant {
	return []Mutant{{
		Name:   "conflict-replays",
		Breaks: "answers another request under a used key with the stored answer of the first",
		Kills:  []string{"SRS-CHK-001.23", "SRS-CHK-001.34", "SRS-CHK-001.36", "SRS-CHK-001.46"},
		Needs:  []string{needDependencies},
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
		Kills:  []string{"SRS-CHK-001.23", "SRS-CHK-001.34", "SRS-CHK-001.46"},
		Needs:  []string{needDependencies},
		Wrap: wrapReserve(func(right reservation) reservation {
			return func(ctx context.Context, r checkout.Record) (checkout.Record, bool, error) {
				stored, created, err := right(ctx, r)
				if err == nil && !created && stored.Fingerprint != r.Fingerprint {
					return right(ctx, elsewhere(r))
				}
				return stored, created, err
			}
		}),
	}, {
		Name:   "conflict-replaces-record",
		Breaks: "writes the refused request over the first one, as INSERT OR REPLACE does",
		Kills:  []string{"SRS-CHK-001.35"},
		Wrap: wrapReserve(func(right reservation) reservation {
			var mu sync.Mutex
			last := map[checkout.Scope]string{} // fingerprint of the latest request
			return func(ctx context.Context, r checkout.Record) (checkout.Record, bool, error) {
				stored, created, err := right(ctx, r)
				mu.Lock()
				defer mu.Unlock()
				if written, ok := last[r.Scope]; ok && err == nil && !created {
					stored.Fingerprint = written
				}
				if err == nil {
					last[r.Scope] = r.Fingerprint
				}
				return stored, created, err
			}
		}),
	}, {
		Name:   "conflict-shows-original",
		Breaks: "tells in the answer to a conflict what the key was used for",
		Kills:  []string{"SRS-CHK-001.36"},
		Wrap: func(c *checkout.Config) {
			right := c.Conflict
			c.Conflict = func(ctx context.Context, r checkout.Record, id string) checkout.Answer {
				a := right(ctx, r, id)
				a.Body = bytes.Replace(a.Body, []byte("another request"), []byte("the order "+r.OrderID), 1)
				return a
			}
		},
	}, {
		Name:   "conflict-tells-while-open",
		Breaks: "tells in the headers of a conflict which checkout has the key, while that is under way",
		Kills:  []string{"SRS-CHK-001.36"},
		Needs:  []string{needDependencies},
		Wrap: func(c *checkout.Config) {
			right := c.Conflict
			c.Conflict = func(ctx context.Context, r checkout.Record, id string) checkout.Answer {
				a := right(ctx, r, id)
				if !r.State.Terminal() {
					a.Header = a.Header.Clone()
					a.Header.Set("Location", "/checkout/"+r.RequestID)
				}
				return a
			}
		},
	}, {
		Name:   "in-progress-before-conflict",
		Breaks: "says that a key is in progress before it looks whether the request is the same",
		Kills:  []string{"SRS-CHK-001.23", "SRS-CHK-001.34", "SRS-CHK-001.46"},
		Needs:  []string{needDependencies},
		Wrap: func(c *checkout.Config) {
			right, busy := c.Conflict, c.Busy
			c.Conflict = func(ctx context.Context, r checkout.Record, id string) checkout.Answer {
				if !r.State.Terminal() {
					return busy(ctx, r, id)
				}
				return right(ctx, r, id)
			}
		},
	}, {
		Name:   "fingerprint-written-at-the-end",
		Breaks: "knows what a key was used for only once that is done, and executes another request meanwhile",
		Kills:  []string{"SRS-CHK-001.23", "SRS-CHK-001.34", "SRS-CHK-001.46"},
		Needs:  []string{needDependencies},
		Wrap: wrapReserve(func(right reservation) reservation {
			return func(ctx context.Context, r checkout.Record) (checkout.Record, bool, error) {
				stored, created, err := right(ctx, r)
				if err == nil && !created && !stored.State.Terminal() && stored.Fingerprint != r.Fingerprint {
					return right(ctx, elsewhere(r))
				}
				return stored, created, err
			}
		}),
	}}
}
