package mutants

import (
	"context"
	"sync"
	"time"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

func disconnectMutants() []Mutant {
	return []Mutant{{
		Name:   "caller-cancels",
		Breaks: "works under the caller's request: when he hangs up it stops, and what was done of it is rolled back and forgotten",
		Kills:  []string{"SRS-CHK-001.52"},
		Needs:  []string{needEffects, needDependencies},
		Wrap: func(c *checkout.Config) {
			c.Detach = func(ctx context.Context) context.Context { return context.WithValue(ctx, requestKey{}, ctx) }
			c.Store = &rollingBack{Store: c.Store, gone: map[checkout.Scope]checkout.Scope{}}
		},
	}}
}

// requestKey finds the caller's request in the context of a store operation.
type requestKey struct{}

// rollingBack is a store whose transaction is the caller's request: if that ends
// before its record is finished, there never was one. The record cannot be taken
// out of the right store, so it is closed there and its key counts as free.
type rollingBack struct {
	checkout.Store
	mu   sync.Mutex
	gone map[checkout.Scope]checkout.Scope // where the next record of the key is
}

func (s *rollingBack) Reserve(ctx context.Context, r checkout.Record) (checkout.Record, bool, error) {
	s.mu.Lock()
	for next, ok := s.gone[r.Scope]; ok; next, ok = s.gone[r.Scope] {
		r.Scope = next
	}
	s.mu.Unlock()
	stored, created, err := s.Store.Reserve(ctx, r)
	if request, ok := ctx.Value(requestKey{}).(context.Context); ok && created {
		context.AfterFunc(request, func() { s.rollBack(stored) })
	}
	return stored, created, err
}

// rollBack runs when a request ends, however it does: one that was answered has
// nothing under way any more.
func (s *rollingBack) rollBack(r checkout.Record) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	now, err := s.Load(ctx, r.RequestID)
	if err != nil || now.Lock != checkout.InProgress {
		return
	}
	s.mu.Lock()
	s.gone[r.Scope] = elsewhere(r).Scope
	s.mu.Unlock()
	now.State, now.Lock, now.LeaseUntil, now.DueAt = checkout.FailedFinal, checkout.Released, time.Time{}, time.Time{}
	_ = s.Save(ctx, now) // a record that stays open is taken up by somebody, which is no better
}
