package mutants

import (
	"context"
	"errors"
	"sync"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

func tombstoneMutants() []Mutant {
	return []Mutant{{
		Name:   "no-tombstone",
		Breaks: "refuses an expired key for as long as its record is there, and takes it for a new one once that was purged",
		Kills:  []string{"SRS-CHK-001.11"},
		Needs:  []string{needClock, needEffects},
		Wrap:   func(c *checkout.Config) { c.Store = &unburied{Store: c.Store, requests: map[checkout.Scope]string{}} },
	}}
}

// unburied is a store that behaves as if nothing were left of what it purged.
type unburied struct {
	checkout.Store
	mu       sync.Mutex
	requests map[checkout.Scope]string
}

func (s *unburied) Reserve(ctx context.Context, r checkout.Record) (checkout.Record, bool, error) {
	stored, created, err := s.Store.Reserve(ctx, r)
	if errors.Is(err, checkout.ErrExpired) {
		if _, gone := s.Load(ctx, s.request(r.Scope)); errors.Is(gone, checkout.ErrUnknown) {
			return s.Store.Reserve(ctx, elsewhere(r))
		}
	}
	if err == nil {
		s.remember(r.Scope, stored.RequestID)
	}
	return stored, created, err
}

func (s *unburied) request(scope checkout.Scope) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests[scope]
}

func (s *unburied) remember(scope checkout.Scope, requestID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests[scope] = requestID
}
