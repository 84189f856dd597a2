package store_test

import (
	"path/filepath"
	"testing"

	"github.com/oncecheck/oncecheck/reference/checkout"
	"github.com/oncecheck/oncecheck/reference/store"
)

func TestOutboxInSQLite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a folder? with #signs.db")
	readsOutbox(t, openAt(t, path), "sqlite:"+path)
}

// readsOutbox: what is read beside the service are the events that it stored, from a
// position on.
func readsOutbox(t *testing.T, s checkout.Store, name string) {
	at, err := store.Locate(name)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := at.Outbox(t.Context(), 0); err != nil || len(got) > 0 || got == nil {
		t.Errorf("an empty outbox: %v, %v", got, err)
	}
	for n := range 3 {
		r, _, err := s.Reserve(t.Context(), fresh(n))
		if err != nil {
			t.Fatal(err)
		}
		save(t, s, ending(r, r.RequestID))
	}
	all, err := at.Outbox(t.Context(), 0)
	if err != nil || len(all) != 3 {
		t.Fatalf("%d entries, %v", len(all), err)
	}
	for n, e := range all {
		id := fresh(n).RequestID
		want := store.OutboxEntry{Position: e.Position, EventID: "event of " + id, AggregateID: id, Tenant: "t1", Sequence: 1,
			Type: checkout.EventSucceeded, State: "PENDING", CorrelationID: "c1", OccurredAt: after(1)}
		if e != want || n > 0 && e.Position <= all[n-1].Position || e.Position < 1 {
			t.Errorf("entry %d is %+v, want %+v", n, e, want)
		}
	}
	if later, err := at.Outbox(t.Context(), all[1].Position); err != nil || len(later) != 1 || later[0] != all[2] {
		t.Errorf("after the second: %+v, %v", later, err)
	}
}

func TestOutboxOfNoFile(t *testing.T) {
	at := store.Location{File: filepath.Join(t.TempDir(), "none.db")}
	if got, err := at.Outbox(t.Context(), 0); err == nil {
		t.Errorf("no file: %v", got)
	}
}
