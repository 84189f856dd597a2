package mutants

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

func crashMutants() []Mutant {
	needs := []string{needEffects, needDependencies, needProcessControl}
	return []Mutant{{
		Name:   "uncommitted-reservation",
		Breaks: "keeps a reservation in a transaction that is open while it works, so that a crash forgets it",
		Kills:  []string{"SRS-CHK-001.24", "SRS-CHK-001.47", "SRS-CHK-002.30"},
		Needs:  needs,
		Wrap:   forgetsAtStart(checkout.InProgress),
	}, {
		Name:   "pending-in-memory",
		Breaks: "answers 202 for a checkout that only its own process remembers",
		Kills:  []string{"SRS-CHK-002.20"},
		Needs:  append(slices.Clone(needs), needStatus),
		Wrap:   forgetsAtStart(checkout.Parked),
	}, {
		Name:   "final-state-later",
		Breaks: "answers before the final state is written, which it does a second later",
		Kills:  []string{"SRS-CHK-002.16"},
		Needs:  append(slices.Clone(needs), needStatus),
		Wrap:   func(c *checkout.Config) { c.Store = &writeBehind{Store: c.Store, kept: map[string]checkout.Record{}} },
	}, {
		Name:   "decline-later",
		Breaks: "answers a decline before it is written, which it does a second later",
		Kills:  []string{"SRS-CHK-002.16"},
		Needs:  append(slices.Clone(needs), needStatus, needDecline),
		Wrap: func(c *checkout.Config) {
			c.Store = lateDeclines{&writeBehind{Store: c.Store, kept: map[string]checkout.Record{}}}
		},
	}, {
		Name:   "stuck-after-crash",
		Breaks: "never goes on with what a dead worker held",
		Kills:  []string{"SRS-CHK-001.47"},
		Needs:  needs,
		Wrap:   func(c *checkout.Config) { c.Store = stuck{c.Store} },
	}, {
		Name:   "recharges-after-crash",
		Breaks: "takes over from a dead worker with provider keys of its own, and asks nobody what he did",
		Kills:  []string{"SRS-CHK-001.47", "SRS-CHK-001.50"},
		Needs:  append(slices.Clone(needs), needStoreLink),
		Wrap:   ownKeysPerWorker,
	}, {
		Name:   "attempts-recounted",
		Breaks: "counts its attempts from nothing after it takes over from a dead worker",
		Kills:  []string{"SRS-CHK-002.30"},
		Needs:  needs,
		Wrap:   func(c *checkout.Config) { c.Store = unaccounted{c.Store} },
	}}
}

// forgotten is a store that lost, when its process began, what the ones before
// left under a lock. The records cannot be taken out of the right store, so nobody
// is shown them and their keys count as free.
type forgotten struct {
	checkout.Store
	ids map[string]bool

	mu    sync.Mutex
	freed map[checkout.Scope]checkout.Scope // where a new record of the key is
}

// forgetsAtStart makes a process forget the records that it finds under the lock.
func forgetsAtStart(lock checkout.Lock) func(*checkout.Config) {
	return func(c *checkout.Config) {
		s := &forgotten{Store: c.Store, ids: map[string]bool{}, freed: map[checkout.Scope]checkout.Scope{}}
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		left, err := c.Store.Due(ctx, time.Now().Add(time.Hour), 1000)
		for _, id := range left {
			r, loading := c.Store.Load(ctx, id)
			err = errors.Join(err, loading)
			if r.Lock == lock {
				s.ids[id] = true
				s.freed[r.Scope] = elsewhere(r).Scope
			}
		}
		if err != nil {
			c.Log.Error("a mutant cannot see what was left", "error", err)
		}
		c.Store = s
	}
}

func (s *forgotten) Reserve(ctx context.Context, r checkout.Record) (checkout.Record, bool, error) {
	s.mu.Lock()
	if scope, ok := s.freed[r.Scope]; ok {
		r.Scope = scope
	}
	s.mu.Unlock()
	return s.Store.Reserve(ctx, r)
}

func (s *forgotten) Load(ctx context.Context, requestID string) (checkout.Record, error) {
	if s.ids[requestID] {
		return checkout.Record{}, checkout.ErrUnknown
	}
	return s.Store.Load(ctx, requestID)
}

func (s *forgotten) Claim(ctx context.Context, requestID string, now, until time.Time) (checkout.Record, error) {
	if s.ids[requestID] {
		return checkout.Record{}, checkout.ErrHeld
	}
	return s.Store.Claim(ctx, requestID, now, until)
}

// behind is by how much final states are written late.
const behind = time.Second

// writeBehind shows final states at once and writes them later.
type writeBehind struct {
	checkout.Store
	mu   sync.Mutex
	kept map[string]checkout.Record // not written yet, by request id
}

func (s *writeBehind) Save(ctx context.Context, r checkout.Record, attempts ...checkout.Attempt) error {
	if !r.State.Terminal() {
		return s.Store.Save(ctx, r, attempts...)
	}
	s.mu.Lock()
	s.kept[r.RequestID] = r
	s.mu.Unlock()
	time.AfterFunc(behind, func() {
		writing, cancel := context.WithTimeout(context.WithoutCancel(ctx), behind)
		defer cancel()
		if s.Store.Save(writing, r, attempts...) == nil {
			s.mu.Lock()
			delete(s.kept, r.RequestID)
			s.mu.Unlock()
		}
	})
	return nil
}

func (s *writeBehind) shown(r checkout.Record) checkout.Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	if kept, ok := s.kept[r.RequestID]; ok {
		return kept
	}
	return r
}

func (s *writeBehind) Reserve(ctx context.Context, r checkout.Record) (checkout.Record, bool, error) {
	stored, created, err := s.Store.Reserve(ctx, r)
	return s.shown(stored), created, err
}

func (s *writeBehind) Load(ctx context.Context, requestID string) (checkout.Record, error) {
	r, err := s.Store.Load(ctx, requestID)
	return s.shown(r), err
}

// lateDeclines writes nothing late but declines.
type lateDeclines struct{ *writeBehind }

func (s lateDeclines) Save(ctx context.Context, r checkout.Record, attempts ...checkout.Attempt) error {
	if r.State == checkout.FailedFinal {
		return s.writeBehind.Save(ctx, r, attempts...)
	}
	return s.Store.Save(ctx, r, attempts...)
}

// stuck lets nobody take over a record whose worker died.
type stuck struct{ checkout.Store }

func (s stuck) Claim(ctx context.Context, requestID string, now, until time.Time) (checkout.Record, error) {
	r, err := s.Load(ctx, requestID)
	if err == nil && r.Lock == checkout.InProgress {
		return checkout.Record{}, checkout.ErrHeld
	}
	return s.Store.Claim(ctx, requestID, now, until)
}

// unaccounted does not tell who takes over how often it was tried before.
type unaccounted struct{ checkout.Store }

func (unaccounted) Attempts(context.Context, string) ([]checkout.Attempt, error) { return nil, nil }
