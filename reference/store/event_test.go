package store_test

import (
	"database/sql"
	"path/filepath"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

// row is a row of events as it stands in the database.
type row struct {
	ID, Tenant, Aggregate string
	Sequence              int64
	Type                  string
	Schema                int64
	Payload, Correlation  string
	OccurredAt            int64
	State                 string
}

// events is what whoever delivers events may rely on, whatever keeps them. The
// store is opened with the name of a driver and what that opens it by.
func events(t *testing.T, open func(*testing.T) (s checkout.Store, driver, source string)) {
	for name, test := range map[string]func(*testing.T, checkout.Store, *sql.DB){
		"an event is written with its record":   testEvent,
		"sequences count by aggregate":          testSequence,
		"sequences have no gaps":                testNoGaps,
		"without its event nothing ends":        testEventFails,
		"a fenced worker tells nothing":         testEventFenced,
		"an event outlives the record it tells": testEventStays,
	} {
		t.Run(name, func(t *testing.T) {
			s, driver, source := open(t)
			db, err := sql.Open(driver, source)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = db.Close() }()
			test(t, s, db)
		})
	}
}

func TestEventsInSQLite(t *testing.T) {
	events(t, func(t *testing.T) (checkout.Store, string, string) {
		path := filepath.Join(t.TempDir(), "checkout.db")
		return openAt(t, path), "sqlite", path
	})
}

func stored(t *testing.T, db *sql.DB) []row {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), `SELECT event_id, tenant_id, aggregate_id, sequence, type, schema_version, payload,
		correlation_id, occurred_at, state FROM events ORDER BY aggregate_id, sequence`)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var found []row
	for rows.Next() {
		var r row
		if err := rows.Scan(&r.ID, &r.Tenant, &r.Aggregate, &r.Sequence, &r.Type, &r.Schema, &r.Payload, &r.Correlation, &r.OccurredAt, &r.State); err != nil {
			t.Fatal(err)
		}
		found = append(found, r)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return found
}

// ending is r as the worker saves it when it has succeeded.
func ending(r checkout.Record, aggregate string) checkout.Record {
	r.State, r.Lock, r.TerminalAt, r.ExpiresAt = checkout.Succeeded, checkout.Released, after(1), after(100)
	r.LeaseUntil, r.DueAt = time.Time{}, time.Time{}
	r.Event = &checkout.Event{ID: "event of " + r.RequestID, Type: checkout.EventSucceeded, SchemaVersion: 1, Tenant: "t1",
		Aggregate: aggregate, Payload: []byte(`{"a":1}`), CorrelationID: "c1", OccurredAt: after(1)}
	return r
}

func testEvent(t *testing.T, s checkout.Store, db *sql.DB) {
	r := reserved(t, s)
	save(t, s, r)
	if got := stored(t, db); len(got) > 0 {
		t.Fatalf("before the end there is %+v", got)
	}
	r = ending(r, r.RequestID)
	save(t, s, r)
	save(t, s, r) // the answer of the first was lost
	r.Event = nil
	save(t, s, r) // it is cleaned up after
	want := []row{{"event of request-1", "t1", "request-1", 1, checkout.EventSucceeded, 1, `{"a":1}`, "c1", after(1).UnixMicro(), "PENDING"}}
	if got := stored(t, db); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func testSequence(t *testing.T, s checkout.Store, db *sql.DB) {
	r := reserved(t, s)
	save(t, s, ending(r, r.RequestID))
	for _, n := range []int{2, 3} {
		other, _, err := s.Reserve(t.Context(), fresh(n))
		if err != nil {
			t.Fatal(err)
		}
		save(t, s, ending(other, map[int]string{2: r.RequestID, 3: other.RequestID}[n]))
	}
	var got []any
	for _, e := range stored(t, db) {
		got = append(got, e.ID, e.Aggregate, e.Sequence)
	}
	want := []any{"event of request-1", "request-1", int64(1), "event of request-2", "request-1", int64(2), "event of request-3", "request-3", int64(1)}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// testNoGaps ends many requests about one checkout at once, every third of them in
// a transaction that fails.
func testNoGaps(t *testing.T, s checkout.Store, db *sql.DB) {
	const n = 15
	var saving sync.WaitGroup
	for i := range n {
		r, _, err := s.Reserve(t.Context(), fresh(i))
		if err != nil {
			t.Fatal(err)
		}
		r = ending(r, "shared")
		fails := i%3 == 0
		if fails {
			r.Event.Type, r.Event.Payload = "", nil // a payload is never NULL
		}
		saving.Go(func() {
			if err := s.Save(t.Context(), r); (err != nil) != fails {
				t.Errorf("request %d: %v", i, err)
			}
		})
	}
	saving.Wait()
	for i := 0; i < n; i += 3 {
		if got := loaded(t, s, fresh(i).RequestID); got.State != checkout.Pending {
			t.Errorf("request %d is %s, and its event could not be written", i, got.State)
		}
	}
	got := stored(t, db)
	if len(got) != n-n/3 {
		t.Errorf("%d events, want %d", len(got), n-n/3)
	}
	for i, e := range got {
		if e.Sequence != int64(i+1) {
			t.Errorf("the event at place %d has sequence %d", i+1, e.Sequence)
		}
	}
}

func testEventFails(t *testing.T, s checkout.Store, db *sql.DB) {
	r := reserved(t, s)
	if _, err := db.ExecContext(t.Context(), `ALTER TABLE events RENAME TO elsewhere`); err != nil {
		t.Fatal(err)
	}
	if err := s.Save(t.Context(), ending(r, r.RequestID)); err == nil {
		t.Error("a record ended whose event could not be written")
	}
	if got := loaded(t, s, r.RequestID); got.State != checkout.Pending {
		t.Errorf("the record is %s", got.State)
	}
}

func testEventFenced(t *testing.T, s checkout.Store, db *sql.DB) {
	old := reserved(t, s)
	if _, err := s.Claim(t.Context(), old.RequestID, after(5), after(10)); err != nil {
		t.Fatal(err)
	}
	if err := s.Save(t.Context(), ending(old, old.RequestID)); err == nil {
		t.Error("saved under an old fence")
	}
	if got := stored(t, db); len(got) > 0 {
		t.Errorf("the old worker told %+v", got)
	}
}

func testEventStays(t *testing.T, s checkout.Store, db *sql.DB) {
	r := reserved(t, s)
	r = ending(r, r.RequestID)
	save(t, s, r)
	if n, err := s.Purge(t.Context(), after(200), 9); err != nil || n != 1 {
		t.Fatalf("purged %d, %v", n, err)
	}
	if got := stored(t, db); len(got) != 1 {
		t.Errorf("after the purge there is %+v", got)
	}
}
