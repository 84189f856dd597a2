package store_test

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/reference/checkout"
	"github.com/oncecheck/oncecheck/reference/store"
)

func TestInspectSQLite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a folder? with #signs.db")
	inspected(t, openAt(t, path), "sqlite:"+path)
}

// inspected: what is read beside the service is what it stored, and the constraint
// is the database's own.
func inspected(t *testing.T, s checkout.Store, name string) {
	at, err := store.Locate(name)
	if err != nil {
		t.Fatal(err)
	}
	r := reserved(t, s)
	r.State, r.Response = checkout.Succeeded, checkout.Answer{Status: 201, Body: []byte("{}")}
	r.AttemptCount, r.TerminalAt, r.ExpiresAt = 1, after(1), after(1).Add(24*time.Hour)
	save(t, s, r, checkout.Attempt{Dependency: "payment", Operation: "charge", Run: 1, Number: 1, CorrelationID: "corr", StartedAt: after(0), EndedAt: after(1)})
	got, err := at.Inspect(t.Context(), r.RequestID)
	if err != nil {
		t.Fatal(err)
	}
	if got.RequestID != r.RequestID || got.Key != r.Scope.Key || got.Tenant != r.Scope.Tenant || got.Version != r.Scope.Version || got.Fingerprint != r.Fingerprint ||
		got.Status != 201 || got.Response != "{}" || !got.ExpiresAt.Equal(r.ExpiresAt) {
		t.Errorf("read %+v, stored %+v", got, r)
	}
	if len(got.Attempts) != 1 || got.Attempts[0].CorrelationID != "corr" || !got.Attempts[0].End.Equal(after(1)) {
		t.Errorf("attempts %+v", got.Attempts)
	}
	if parts := slices.Sorted(slices.Values(got.Unique)); !slices.Equal(parts, []string{"key", "operation", "principal", "tenant", "version"}) {
		t.Errorf("the constraint covers %v", got.Unique)
	}
	if _, err := at.Inspect(t.Context(), "request-9"); !errors.Is(err, checkout.ErrUnknown) {
		t.Errorf("an unknown request: %v", err)
	}
}

func TestInspectNoFile(t *testing.T) {
	if _, err := store.Inspect(t.Context(), filepath.Join(t.TempDir(), "none.db"), "request-9"); err == nil || errors.Is(err, checkout.ErrUnknown) {
		t.Errorf("no file: %v", err)
	}
}
