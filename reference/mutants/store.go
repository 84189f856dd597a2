package mutants

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

func storeMutants() []Mutant {
	needs := []string{needEffects, needDependencies, needStoreLink}
	return []Mutant{{
		Name:   "store-fails-open",
		Breaks: "goes on without its store where that cannot be reached",
		Kills:  []string{"SRS-CHK-001.49"},
		Needs:  needs,
		Wrap:   func(c *checkout.Config) { c.Store = failsOpen{c.Store} },
	}, {
		Name:   "store-down-500",
		Breaks: "answers 500 where its store cannot be reached",
		Kills:  []string{"SRS-CHK-001.49"},
		Needs:  needs,
		Wrap: func(c *checkout.Config) {
			right := c.Write
			c.Write = func(w http.ResponseWriter, r *http.Request, a checkout.Answer) {
				if a.Status == http.StatusServiceUnavailable {
					a.Status = http.StatusInternalServerError
				}
				right(w, r, a)
			}
		},
	}, {
		Name:   "own-reservation-unrecognised",
		Breaks: "takes a reservation of its own, whose answer was lost, for somebody else's that is at work for ever",
		Kills:  []string{"SRS-CHK-001.51"},
		Needs:  needs,
		Wrap:   wrapReserve(unrecognised),
	}, {
		Name:   "unfenced-workers",
		Breaks: "lets a lease run out while its worker is busy, and then lets both workers pay under keys of their own and write as they like",
		Kills:  []string{"SRS-CHK-001.48"},
		Needs:  []string{needEffects, needDependencies},
		Wrap: func(c *checkout.Config) {
			ownKeysPerWorker(c)
			c.Store = unfenced{c.Store}
		},
	}}
}

// failsOpen takes what it cannot write at once for written.
type failsOpen struct{ checkout.Store }

// impatience is longer than any write takes, and shorter than anybody waits for one.
const impatience = 500 * time.Millisecond

func (s failsOpen) Reserve(ctx context.Context, r checkout.Record) (checkout.Record, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, impatience)
	defer cancel()
	stored, created, err := s.Store.Reserve(ctx, r)
	if err != nil {
		return r, true, nil
	}
	return stored, created, nil
}

func (s failsOpen) Save(ctx context.Context, r checkout.Record, attempts ...checkout.Attempt) error {
	ctx, cancel := context.WithTimeout(ctx, impatience)
	defer cancel()
	_ = s.Store.Save(ctx, r, attempts...)
	return nil
}

// unrecognised remembers each key whose reservation failed and, where it is taken
// after all, shows its record as somebody else's.
func unrecognised(right reservation) reservation {
	var mu sync.Mutex
	failed := map[checkout.Scope]bool{}
	return func(ctx context.Context, r checkout.Record) (checkout.Record, bool, error) {
		stored, created, err := right(ctx, r)
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			failed[r.Scope] = true
		}
		if err == nil && !created && failed[r.Scope] {
			stored.RequestID, stored.State, stored.LeaseUntil = "", checkout.Pending, time.Now().Add(time.Hour)
		}
		return stored, created, err
	}
}

// ownKeysPerWorker gives whoever takes over a record provider keys of his own, and
// lets him ask nobody what was done under others.
func ownKeysPerWorker(c *checkout.Config) {
	right := c.ProviderKey
	c.ProviderKey = func(r checkout.Record, operation string) string {
		if r.Fence <= 1 {
			return right(r, operation)
		}
		return fmt.Sprintf("%s-%d", right(r, operation), r.Fence)
	}
	c.Reconcile = askNobody
}

// askNobody takes it that there is nothing.
func askNobody(context.Context, checkout.Record, func(context.Context) (string, error)) (string, error) {
	return "", nil
}

// unfenced prolongs no lease and lets everybody write.
type unfenced struct{ checkout.Store }

func (unfenced) Extend(context.Context, string, int64, time.Time) error { return nil }

func (s unfenced) Save(ctx context.Context, r checkout.Record, attempts ...checkout.Attempt) error {
	now, err := s.Load(ctx, r.RequestID)
	if err != nil {
		return err
	}
	r.Fence = now.Fence
	return s.Store.Save(ctx, r, attempts...)
}
