package bench

import (
	"database/sql"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/reference/checkout"
	"github.com/oncecheck/oncecheck/reference/store"
	"github.com/oncecheck/oncecheck/reference/store/postgrestest"
)

// ended is how many checkouts each round ends.
const ended = 300

// storing compares the transaction that ends a checkout (outcome, answer, last
// attempt, event) with the bare insert of an order into the same database, as a
// service without idempotency and events would make it: what a service pays for
// both. At half the rate, 2.00x, it would cost as much again.
func storing(t *testing.T, out io.Writer) {
	t.Run("SQLite", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "checkout.db")
		ending(t, out, "SQLite", "sqlite:"+path, "sqlite", "file:"+path+"?_pragma=busy_timeout(2500)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_txlock=immediate")
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		dsn := postgrestest.Start(t)
		ending(t, out, "PostgreSQL", dsn, "pgx", dsn)
	})
}

func ending(t *testing.T, out io.Writer, name, location, driver, source string) {
	at, err := store.Locate(location)
	if err != nil {
		t.Fatal(err)
	}
	s, err := at.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	bare, err := sql.Open(driver, source)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = bare.Close() }()
	if _, err := bare.ExecContext(t.Context(), `CREATE TABLE orders (id TEXT PRIMARY KEY, cart TEXT, amount BIGINT, currency TEXT, charge TEXT, at BIGINT)`); err != nil {
		t.Fatal(err)
	}
	var ratios []float64
	var medians [2]time.Duration
	for round := range rounds {
		var took [2][]time.Duration
		for i := range ended {
			r := underWay(t, s, fmt.Sprintf("%d-%d", round, i))
			begun := time.Now()
			if err := s.Save(t.Context(), r, checkout.Attempt{Dependency: "orders", Operation: "order", Run: 1, Number: 1, StartedAt: begun, EndedAt: begun}); err != nil {
				t.Fatal(err)
			}
			took[0] = append(took[0], time.Since(begun))
			begun = time.Now()
			if _, err := bare.ExecContext(t.Context(), `INSERT INTO orders VALUES ($1, $2, $3, $4, $5, $6)`, r.RequestID, "cart", 100, "EUR", "charge", begun.UnixMicro()); err != nil {
				t.Fatal(err)
			}
			took[1] = append(took[1], time.Since(begun))
		}
		for side := range took {
			slices.Sort(took[side])
			medians[side] = took[side][ended/2]
		}
		ratios = append(ratios, float64(medians[0])/float64(medians[1]))
	}
	slices.Sort(ratios)
	fmt.Fprintf(out, "end a checkout in %s, with its event\t%d\tbare insert of an order there\t%d\t%.2fx\t\t\n", name, medians[0].Nanoseconds(), medians[1].Nanoseconds(), ratios[rounds/2])
}

// underWay reserves a checkout and returns it as its worker would save its end.
func underWay(t *testing.T, s checkout.Store, id string) checkout.Record {
	t.Helper()
	now := time.Now()
	r := checkout.Record{RequestID: "request-" + id, Scope: checkout.Scope{Tenant: "t1", Principal: "alice", Operation: "checkout", Version: "v1", Key: id},
		Owner: checkout.Owner{Tenant: "t1", Subject: "alice"}, Fingerprint: "f", State: checkout.Pending, Lock: checkout.InProgress, Fence: 1,
		LeaseUntil: now.Add(5 * time.Second), DueAt: now.Add(5 * time.Second), Run: 1, CreatedAt: now, UpdatedAt: now}
	if _, _, err := s.Reserve(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	r.State, r.Lock, r.LeaseUntil, r.DueAt = checkout.Succeeded, checkout.Released, time.Time{}, time.Time{}
	r.ReservationID, r.ChargeID, r.OrderID, r.TerminalAt, r.ExpiresAt = "reservation", "charge", "order", now, now.Add(24*time.Hour)
	r.Response = checkout.Answer{Status: 201, Body: []byte(body)}
	r.Event = &checkout.Event{ID: r.RequestID, Type: checkout.EventSucceeded, SchemaVersion: 1, Tenant: "t1", Aggregate: r.RequestID, Payload: []byte(body), CorrelationID: "c", OccurredAt: now}
	return r
}
