package mutants

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"

	"github.com/oncecheck/oncecheck/reference/checkout"
	"github.com/oncecheck/oncecheck/reference/client"
)

// auditMutants leave too little of what they did.
func auditMutants() []Mutant {
	log := func(name, breaks string, change func(slog.Record) (slog.Record, bool)) Mutant {
		return Mutant{Name: name, Breaks: breaks, Kills: []string{"SRS-CHK-002.31"}, Needs: []string{needDependencies, needLogs},
			Wrap: func(c *checkout.Config) { c.Log = slog.New(audited{c.Log.Handler(), change}) }}
	}
	stored := func(name, breaks string, change func(*checkout.Attempt)) Mutant {
		return Mutant{Name: name, Breaks: breaks, Kills: []string{"SRS-CHK-002.18"}, Needs: []string{needDependencies, needStorage, needStoredRecord},
			Wrap: func(c *checkout.Config) { c.Store = misstated{c.Store, change} }}
	}
	rewritten := log("audit-rewritten-in-place", "keeps one record for each operation, which every attempt overwrites", nil)
	rewritten.Wrap = func(c *checkout.Config) { c.Log = slog.New(&overwriting{Handler: c.Log.Handler()}) }
	return []Mutant{
		log("audit-of-successes-only", "leaves no record of an attempt that failed", func(r slog.Record) (slog.Record, bool) {
			return r, r.Message != "attempt" || valueOf(r, "class") == string(client.Answered)
		}),
		rewritten,
		log("audit-without-states", "leaves no record of a change of state", func(r slog.Record) (slog.Record, bool) { return r, r.Message != "state" }),
		log("audit-of-nobody", "leaves records of attempts that do not say of which request", func(r slog.Record) (slog.Record, bool) {
			if r.Message != "attempt" {
				return r, true
			}
			return without(r, "requestId"), true
		}),
		stored("attempts-stored-uncorrelated", "stores attempts without their correlation id", func(a *checkout.Attempt) { a.CorrelationID = "" }),
		stored("attempts-stored-without-end", "stores of an attempt that was answered an end a day after its beginning", func(a *checkout.Attempt) {
			if a.Class == string(client.Answered) {
				a.EndedAt = a.StartedAt.AddDate(0, 0, 1)
			}
		}),
		stored("attempts-stored-as-one", "stores every attempt as one at the same dependency", func(a *checkout.Attempt) { a.Dependency = "provider" }),
	}
}

// audited is a log that loses something.
type audited struct {
	slog.Handler
	change func(slog.Record) (slog.Record, bool)
}

func (l audited) Handle(ctx context.Context, r slog.Record) error {
	if changed, kept := l.change(r); kept {
		return l.Handler.Handle(ctx, changed)
	}
	return nil
}

// overwriting is a log that shows of each operation the last attempt, once its
// checkout has changed.
type overwriting struct {
	slog.Handler
	mu   sync.Mutex
	last []slog.Record
}

func (l *overwriting) Handle(ctx context.Context, r slog.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.Message == "attempt" {
		l.last = slices.DeleteFunc(l.last, func(old slog.Record) bool {
			return valueOf(old, "requestId") == valueOf(r, "requestId") && valueOf(old, "operation") == valueOf(r, "operation")
		})
		l.last = append(l.last, r.Clone())
		return nil
	}
	var failed error
	l.last = slices.DeleteFunc(l.last, func(kept slog.Record) bool {
		settled := valueOf(kept, "requestId") == valueOf(r, "requestId")
		if settled {
			failed = errors.Join(failed, l.Handler.Handle(ctx, kept))
		}
		return settled
	})
	return errors.Join(failed, l.Handler.Handle(ctx, r))
}

func valueOf(r slog.Record, key string) (value string) {
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == key {
			value = a.Value.String()
		}
		return value == ""
	})
	return value
}

func without(r slog.Record, key string) slog.Record {
	plain := slog.NewRecord(r.Time, r.Level, r.Message, r.PC)
	r.Attrs(func(a slog.Attr) bool {
		if a.Key != key {
			plain.AddAttrs(a)
		}
		return true
	})
	return plain
}

// misstated is a store of attempts that were not quite like that.
type misstated struct {
	checkout.Store
	change func(*checkout.Attempt)
}

func (s misstated) Save(ctx context.Context, r checkout.Record, attempts ...checkout.Attempt) error {
	attempts = slices.Clone(attempts)
	for i := range attempts {
		s.change(&attempts[i])
	}
	return s.Store.Save(ctx, r, attempts...)
}
