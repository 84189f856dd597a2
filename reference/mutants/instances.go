package mutants

import (
	"context"
	"crypto/rand"
	"sync"
	"time"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

func instanceMutants() []Mutant {
	return []Mutant{{
		Name:   "lock-in-process",
		Breaks: "lets a lock in its own process decide whether a key is free, of which another instance knows nothing",
		Kills:  []string{"SRS-CHK-001.25"},
		Needs:  []string{needEffects, needInstances},
		Wrap:   wrapReserve(lockInProcess),
	}, {
		Name:   "reads-a-replica",
		Breaks: "reads the status from a replica that lags behind what other instances write",
		Kills:  []string{"SRS-CHK-003.11"},
		Needs:  []string{needInstances},
		Wrap:   func(c *checkout.Config) { c.Store = &replica{Store: c.Store, own: map[string]bool{}} },
	}}
}

// lockInProcess makes every key one of this process: within it the store's
// constraint decides, and between two processes nothing does.
func lockInProcess(right reservation) reservation {
	process := rand.Text()
	return func(ctx context.Context, r checkout.Record) (checkout.Record, bool, error) {
		r.Scope.Key += " " + process
		return right(ctx, r)
	}
}

// lag is how far the replica is behind.
const lag = 700 * time.Millisecond

// replica shows a record that another process reserved only after a while.
type replica struct {
	checkout.Store
	mu  sync.Mutex
	own map[string]bool // by request id
}

func (s *replica) Reserve(ctx context.Context, r checkout.Record) (checkout.Record, bool, error) {
	s.mu.Lock()
	s.own[r.RequestID] = true
	s.mu.Unlock()
	return s.Store.Reserve(ctx, r)
}

func (s *replica) Load(ctx context.Context, requestID string) (checkout.Record, error) {
	r, err := s.Store.Load(ctx, requestID)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && !s.own[requestID] && time.Since(r.UpdatedAt) < lag {
		return checkout.Record{}, checkout.ErrUnknown
	}
	return r, err
}
