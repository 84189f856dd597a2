package store_test

import (
	"database/sql"
	"errors"
	"path/filepath"
	"reflect"
	"sync"
	"testing"

	"github.com/oncecheck/oncecheck/reference/checkout"
	"github.com/oncecheck/oncecheck/reference/store"
)

// earlier makes of today's tables in a file those of the version before.
const earlier = `
DROP INDEX checkouts_payment;
ALTER TABLE checkouts DROP COLUMN payment_key;
CREATE TABLE events_earlier (
    event_id       TEXT    NOT NULL PRIMARY KEY,
    tenant_id      TEXT    NOT NULL,
    aggregate_id   TEXT    NOT NULL,
    sequence       INTEGER NOT NULL CHECK (sequence > 0),
    type           TEXT    NOT NULL,
    schema_version INTEGER NOT NULL,
    payload        BLOB    NOT NULL,
    correlation_id TEXT    NOT NULL,
    occurred_at    INTEGER NOT NULL,
    state          TEXT    NOT NULL CHECK (state IN ('PENDING', 'DELIVERED', 'DEAD_LETTER')),
    UNIQUE (tenant_id, aggregate_id, sequence)
) STRICT;
INSERT INTO events_earlier SELECT event_id, tenant_id, aggregate_id, sequence, type, schema_version, payload, correlation_id, occurred_at, state FROM events;
DROP TABLE events;
ALTER TABLE events_earlier RENAME TO events;`

func TestUpgradeSQLite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "checkout.db")
	upgraded(t, func(t *testing.T) checkout.Store { return openAt(t, path) }, "sqlite:"+path, "sqlite", path, earlier)
	numbered(t, path)
}

// upgraded: a store that an earlier version made opens, for several at once, with
// what is in it, and does what a new one does.
func upgraded(t *testing.T, open func(*testing.T) checkout.Store, name, driver, source, earlier string) {
	s := open(t)
	var want []checkout.Record
	for n := range 2 {
		r, _, err := s.Reserve(t.Context(), fresh(n))
		if err != nil {
			t.Fatal(err)
		}
		save(t, s, ending(r, r.RequestID))
		want = append(want, loaded(t, s, r.RequestID))
	}
	at, err := store.Locate(name)
	if err != nil {
		t.Fatal(err)
	}
	before, err := at.Outbox(t.Context(), 0)
	if err != nil || len(before) != 2 {
		t.Fatalf("%d entries, %v", len(before), err)
	}
	db, err := sql.Open(driver, source)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(t.Context(), earlier); err != nil {
		t.Fatal(err)
	}

	var opening sync.WaitGroup
	errs := make([]error, 4)
	for i := range errs {
		opening.Go(func() {
			s, err := at.Open(t.Context(), "")
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
	s = open(t)
	for _, r := range want {
		if got := loaded(t, s, r.RequestID); !reflect.DeepEqual(got, r) {
			t.Errorf("got  %+v\nwant %+v", got, r)
		}
	}
	if got, err := at.Outbox(t.Context(), 0); err != nil || !reflect.DeepEqual(got, before) {
		t.Errorf("%v: got  %+v\nwant %+v", err, got, before)
	}
	paidUnder(t, s, 3, "paid under")
	if r := woken(t, s, "paid under", after(1)); r.RequestID != fresh(3).RequestID {
		t.Errorf("woke %s", r.RequestID)
	}
	r, _, err := s.Reserve(t.Context(), fresh(4))
	if err != nil {
		t.Fatal(err)
	}
	save(t, s, ending(r, r.RequestID))
	if got, err := at.Outbox(t.Context(), before[1].Position); err != nil || len(got) != 1 || got[0].AggregateID != r.RequestID {
		t.Errorf("a later event: %+v, %v", got, err)
	}
}

// TestPositionsOfANewFile: see [numbered].
func TestPositionsOfANewFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "checkout.db")
	openAt(t, path)
	numbered(t, path)
}

// numbered: the position of an event is its primary key. SQLite may change a number
// that it gave a row by itself.
func numbered(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var key string
	if err := db.QueryRowContext(t.Context(), `SELECT name FROM pragma_table_info('events') WHERE pk = 1`).Scan(&key); err != nil || key != "rowid" {
		t.Errorf("the primary key of the events is %q, %v", key, err)
	}
}
