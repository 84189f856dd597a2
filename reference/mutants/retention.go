package mutants

import (
	"context"
	"errors"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

func retentionMutants() []Mutant {
	return []Mutant{{
		Name:   "expired-executes",
		Breaks: "takes a key whose record has expired for a new one",
		Kills:  []string{"SRS-CHK-001.11"},
		Needs:  []string{needClock, needEffects},
		Wrap: wrapReserve(func(right reservation) reservation {
			return func(ctx context.Context, r checkout.Record) (checkout.Record, bool, error) {
				stored, created, err := right(ctx, r)
				if errors.Is(err, checkout.ErrExpired) {
					return right(ctx, elsewhere(r))
				}
				return stored, created, err
			}
		}),
	}, {
		Name:   "never-expires",
		Breaks: "keeps and replays what is past its retention",
		Kills:  []string{"SRS-CHK-001.11"},
		Needs:  []string{needClock, needEffects},
		Wrap: wrapSave(func(_ *checkout.Config, r *checkout.Record) {
			if r.State.Terminal() {
				r.ExpiresAt = r.ExpiresAt.AddDate(10, 0, 0)
			}
		}),
	}, {
		Name:   "retention-from-the-beginning",
		Breaks: "counts the retention from the beginning of a checkout and not from its end",
		Kills:  []string{"SRS-CHK-IF.06", "SRS-CHK-IF.07"},
		Needs:  []string{needClock, needDependencies},
		Wrap: wrapSave(func(c *checkout.Config, r *checkout.Record) {
			if r.State.Terminal() {
				r.ExpiresAt = r.CreatedAt.Add(c.Policy.Retention)
			}
		}),
	}, {
		Name:   "forgets-in-the-last-hour",
		Breaks: "refuses keys as expired in the last 36th of their retention, 40 minutes of a day",
		Kills:  []string{"SRS-CHK-IF.06"},
		Needs:  []string{needClock, needDependencies},
		Wrap: wrapReserve(func(right reservation) reservation {
			return func(ctx context.Context, r checkout.Record) (checkout.Record, bool, error) {
				stored, created, err := right(ctx, r)
				if err == nil && !created && stored.State.Terminal() && r.CreatedAt.Sub(stored.TerminalAt) > stored.ExpiresAt.Sub(stored.TerminalAt)*35/36 {
					return stored, false, checkout.ErrExpired
				}
				return stored, created, err
			}
		}),
	}, {
		Name:   "pending-purged",
		Breaks: "purges every record that is older than the retention, whether it has ended or not",
		Kills:  []string{"SRS-CHK-IF.07"},
		Needs:  []string{needClock, needDependencies},
		Wrap:   func(c *checkout.Config) { c.Store = forgetting{c.Store, c} },
	}}
}

// saving is a store that is given something else to save.
type saving struct {
	checkout.Store
	change func(*checkout.Record)
}

func (s saving) Save(ctx context.Context, r checkout.Record, attempts ...checkout.Attempt) error {
	s.change(&r)
	return s.Store.Save(ctx, r, attempts...)
}

func wrapSave(change func(*checkout.Config, *checkout.Record)) func(*checkout.Config) {
	return func(c *checkout.Config) {
		c.Store = saving{c.Store, func(r *checkout.Record) { change(c, r) }}
	}
}

// forgetting is a store that behaves as if what is open for longer than the
// retention had been removed.
type forgetting struct {
	checkout.Store
	cfg *checkout.Config
}

func (s forgetting) forgotten(r checkout.Record) bool {
	return r.State == checkout.Pending && s.cfg.Now().Sub(r.CreatedAt) > s.cfg.Policy.Retention
}

func (s forgetting) Reserve(ctx context.Context, r checkout.Record) (checkout.Record, bool, error) {
	stored, created, err := s.Store.Reserve(ctx, r)
	if err == nil && !created && s.forgotten(stored) {
		return s.Store.Reserve(ctx, elsewhere(r))
	}
	return stored, created, err
}

func (s forgetting) Load(ctx context.Context, requestID string) (checkout.Record, error) {
	r, err := s.Store.Load(ctx, requestID)
	if err == nil && s.forgotten(r) {
		return checkout.Record{}, checkout.ErrUnknown
	}
	return r, err
}
