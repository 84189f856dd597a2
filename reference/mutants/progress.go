package mutants

import (
	"bytes"
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

func progressMutants() []Mutant {
	return []Mutant{{
		Name:   "in-progress-500",
		Breaks: "answers 500 while the first request is being worked on",
		Kills:  []string{"SRS-CHK-001.42"},
		Needs:  []string{needDependencies},
		Wrap: func(c *checkout.Config) {
			right := c.Busy
			c.Busy = func(ctx context.Context, r checkout.Record, id string) checkout.Answer {
				a := right(ctx, r, id)
				a.Status = http.StatusInternalServerError
				return a
			}
		},
	}, {
		Name:   "in-progress-waits",
		Breaks: "makes a duplicate wait for the first request instead of telling it to come back",
		Kills:  []string{"SRS-CHK-001.42"},
		Needs:  []string{needDependencies},
		Wrap: func(c *checkout.Config) {
			busy, replay, store := c.Busy, c.Replay, c.Store
			c.Busy = func(ctx context.Context, r checkout.Record, id string) checkout.Answer {
				if done, ok := awaitTerminal(ctx, store, r.RequestID); ok {
					return replay(ctx, done)
				}
				return busy(ctx, r, id)
			}
		},
	}, {
		Name:   "in-progress-without-guidance",
		Breaks: "says that a key is in progress, and neither when to come back nor that it helps",
		Kills:  []string{"SRS-CHK-001.43"},
		Needs:  []string{needDependencies},
		Wrap: func(c *checkout.Config) {
			right := c.Busy
			c.Busy = func(ctx context.Context, r checkout.Record, id string) checkout.Answer {
				a := right(ctx, r, id)
				a.Header.Del("Retry-After")
				a.Body = bytes.Replace(a.Body, []byte(`"retryable":true`), []byte(`"retryable":false`), 1)
				return a
			}
		},
	}, {
		Name:   "check-then-insert",
		Breaks: "looks whether a key is free and inserts later, so that simultaneous requests all find it free",
		Kills:  []string{"SRS-CHK-001.44", "SRS-CHK-001.45"},
		Needs:  []string{needEffects},
		Wrap:   wrapReserve(checkThenInsert),
	}, {
		Name:   "stuck-in-progress",
		Breaks: "goes on saying that a key is in progress once a duplicate was told so",
		Kills:  []string{"SRS-CHK-001.45"},
		Wrap:   wrapReserve(stuckInProgress),
	}}
}

// awaitTerminal polls until the record is terminal or ctx ends.
func awaitTerminal(ctx context.Context, store checkout.Store, requestID string) (checkout.Record, bool) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return checkout.Record{}, false
		case <-tick.C:
		}
		if r, err := store.Load(ctx, requestID); err == nil && r.State.Terminal() {
			return r, true
		}
	}
}

// window is how long the first request for a key waits for company. It is the
// gap between looking and inserting, made wide enough to be hit every time.
const window = 300 * time.Millisecond

// checkThenInsert holds the first request for a key behind a barrier. All that
// arrive before it opens have "found the key free", and each inserts its own.
func checkThenInsert(right reservation) reservation {
	var mu sync.Mutex
	seen := map[checkout.Scope]time.Time{} // when the barrier of a key opens
	return func(ctx context.Context, r checkout.Record) (checkout.Record, bool, error) {
		now := time.Now()
		mu.Lock()
		opens, known := seen[r.Scope]
		if !known {
			opens = now.Add(window)
			seen[r.Scope] = opens
		}
		mu.Unlock()
		wait := opens.Sub(now)
		if wait <= 0 {
			return right(ctx, r)
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return checkout.Record{}, false, ctx.Err()
		}
		if known {
			r = elsewhere(r)
		}
		return right(ctx, r)
	}
}

// stuckInProgress remembers each key that was found in progress and shows its
// record in that condition from then on.
func stuckInProgress(right reservation) reservation {
	var mu sync.Mutex
	stuck := map[checkout.Scope]bool{}
	return func(ctx context.Context, r checkout.Record) (checkout.Record, bool, error) {
		stored, created, err := right(ctx, r)
		if err != nil || created {
			return stored, created, err
		}
		mu.Lock()
		defer mu.Unlock()
		if stored.LeaseUntil.After(time.Now()) && !stored.State.Terminal() {
			stuck[r.Scope] = true
		}
		if stuck[r.Scope] {
			stored.State, stored.LeaseUntil = checkout.Pending, time.Now().Add(time.Hour)
		}
		return stored, created, nil
	}
}
