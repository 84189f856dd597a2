package store_test

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/oncecheck/oncecheck/reference/checkout"
	"github.com/oncecheck/oncecheck/reference/store"
	"github.com/oncecheck/oncecheck/reference/store/postgrestest"
)

// schemas returns a function that makes a further empty schema on one server.
func schemas(t *testing.T) func(*testing.T) (dsn string) {
	dsn := postgrestest.Start(t, "-F")
	var n atomic.Int64
	return func(t *testing.T) string {
		return postgrestest.Schema(t, dsn, fmt.Sprintf("shop%d", n.Add(1)))
	}
}

func connect(t *testing.T, dsn string) *store.Postgres {
	t.Helper()
	s, err := store.OpenPostgres(t.Context(), dsn, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// TestPostgres starts one server for everything that needs one.
func TestPostgres(t *testing.T) {
	fresh := schemas(t)
	conformance(t, func(t *testing.T) checkout.Store { return connect(t, fresh(t)) })
	t.Run("events", func(t *testing.T) {
		events(t, func(t *testing.T) (checkout.Store, string, string) {
			dsn := fresh(t)
			return connect(t, dsn), "pgx", dsn
		})
	})
	t.Run("results", func(t *testing.T) {
		dsn := fresh(t)
		keepsResults(t, connect(t, dsn).Results(), connect(t, dsn).Results())
	})
	t.Run("instances share one schema", func(t *testing.T) {
		dsn := fresh(t)
		one, two := connect(t, dsn), connect(t, dsn)
		r := reserved(t, one)
		if got := loaded(t, two, r.RequestID); !reflect.DeepEqual(got, r) {
			t.Fatalf("the other instance sees %+v, want %+v", got, r)
		}
	})
	t.Run("many open a new schema together", func(t *testing.T) { openTogether(t, fresh(t)) })
	t.Run("a purge beside a reservation", func(t *testing.T) { purgeBeside(t, fresh(t)) })
	t.Run("inspect", func(t *testing.T) {
		dsn := fresh(t)
		inspected(t, connect(t, dsn), "postgres:"+dsn)
	})
	t.Run("outbox", func(t *testing.T) {
		dsn := fresh(t)
		readsOutbox(t, connect(t, dsn), "postgres:"+dsn)
	})
	t.Run("upgrade", func(t *testing.T) {
		dsn := fresh(t)
		upgraded(t, func(t *testing.T) checkout.Store { return connect(t, dsn) }, "postgres:"+dsn, "pgx", dsn,
			`ALTER TABLE checkouts DROP COLUMN payment_key; ALTER TABLE events DROP COLUMN rowid`)
	})
	t.Run("errors keep the password", func(t *testing.T) {
		for _, dsn := range []string{strings.Replace(fresh(t), "/postgres?", "/absent?", 1), "postgres://shop:" + postgrestest.Password + "@127.0.0.1:1/shop"} {
			_, err := store.OpenPostgres(t.Context(), dsn, "")
			if err == nil || strings.Contains(err.Error(), postgrestest.Password) || !strings.Contains(err.Error(), "is the server up") {
				t.Errorf("got %v", err)
			}
		}
	})
}

func openTogether(t *testing.T, dsn string) {
	var opening sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		opening.Go(func() {
			s, err := store.OpenPostgres(t.Context(), dsn, "")
			if err == nil {
				err = s.Close()
			}
			errs[i] = err
		})
	}
	opening.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// purgeBeside: while a record makes place for its tombstone, its key is asked for
// again and again. It is at no moment free.
func purgeBeside(t *testing.T, dsn string) {
	s, beside := connect(t, dsn), connect(t, dsn)
	for n := range 20 {
		r := fresh(2 * n)
		r.State, r.Lock, r.DueAt, r.ExpiresAt = checkout.Succeeded, checkout.Released, r.TerminalAt, after(100)
		if _, created, err := s.Reserve(t.Context(), r); err != nil || !created {
			t.Fatalf("reserve: created %v, %v", created, err)
		}
		var purging sync.WaitGroup
		purging.Go(func() {
			if _, err := s.Purge(t.Context(), after(200), 9); err != nil {
				t.Error(err)
			}
		})
		for range 50 {
			other := fresh(2*n + 1)
			other.Scope, other.CreatedAt = r.Scope, after(200)
			if _, _, err := beside.Reserve(t.Context(), other); !errors.Is(err, checkout.ErrExpired) {
				t.Errorf("beside its purge: %v", err)
			}
		}
		purging.Wait()
	}
}

// TestSchemas: both databases have the same tables with the same columns.
func TestSchemas(t *testing.T) {
	tables := func(file string) string {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for line := range strings.Lines(string(text)) {
			line, _, _ = strings.Cut(line, "--")
			if word := strings.Fields(line); len(word) > 1 && word[0] != "rowid" {
				names = append(names, word[0])
				if word[0] == "CREATE" {
					names = append(names, strings.Trim(strings.Join(word, " "), ";"))
				}
			}
		}
		return strings.Join(names, "\n")
	}
	sqlite, postgres := tables("schema.sql"), tables("schema_postgres.sql")
	if strip := strings.NewReplacer(" STRICT", "", ", WITHOUT ROWID", "", "\n)", ""); strip.Replace(sqlite) != strip.Replace(postgres) {
		t.Errorf("SQLite:\n%s\nPostgreSQL:\n%s", sqlite, postgres)
	}
	last := postgres[strings.LastIndex(postgres, "CREATE"):]
	if !strings.Contains(last, "results_stored") {
		t.Errorf("what tells that the tables are there is not made last, but %q", last)
	}
}

func TestLocate(t *testing.T) {
	for _, name := range []string{"", "sqlite:", "postgres:", "mysql:x", "postgres://u:" + postgrestest.Password + "@%zz/x",
		"postgres://a:" + postgrestest.Password + "@h1,h2/x"} {
		if _, err := store.Locate(name); err == nil || strings.Contains(err.Error(), postgrestest.Password) {
			t.Errorf("%q: %v", name, err)
		}
	}
	for name, server := range map[string]string{
		"sqlite:/tmp/x.db":                            "",
		"postgres://u@127.0.0.1:5433/x":               "127.0.0.1:5433",
		"postgres:postgres://u@127.0.0.1:5433/x":      "127.0.0.1:5433",
		"postgresql://u@127.0.0.1:5433/x":             "127.0.0.1:5433",
		"postgres:host=127.0.0.1 port=5433":           "127.0.0.1:5433",
		"postgres:host=/var/run/postgresql user=shop": "",
	} {
		at, err := store.Locate(name)
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		if got, err := at.Server(); err != nil || got != server {
			t.Errorf("%q is at %q, %v; want %q", name, got, err, server)
		}
	}
}
