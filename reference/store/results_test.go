package store_test

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/reference/gateway"
)

func entry(body string, at time.Time) gateway.Entry {
	return gateway.Entry{
		Resource: gateway.Resource{Tenant: "t1", Owner: "alice", Method: "GET", Target: "/items/a?b=c"},
		Status:   200, Header: http.Header{"Content-Type": {"text/plain"}}, Body: []byte(body), StoredAt: at,
	}
}

func found(t *testing.T, s gateway.Store, r gateway.Resource) string {
	t.Helper()
	e, err := s.Find(t.Context(), r)
	if errors.Is(err, gateway.ErrNone) {
		return "none"
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(e.Body)
}

func keep(t *testing.T, s gateway.Store, e gateway.Entry, oldest time.Time) {
	t.Helper()
	if err := s.Keep(t.Context(), e, oldest); err != nil {
		t.Fatal(err)
	}
}

func TestResultsInSQLite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "checkout.db")
	keepsResults(t, openAt(t, path).Results(), openAt(t, path).Results())
}

// keepsResults is what the gateway may rely on, given two ways to one store.
func keepsResults(t *testing.T, results, other gateway.Store) {
	want := entry("one", epoch)
	keep(t, results, want, after(-1))
	if got, err := other.Find(t.Context(), want.Resource); err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("the other instance finds %+v, %v; want %+v", got, err, want)
	}
	for name, change := range map[string]func(*gateway.Resource){
		"tenant": func(r *gateway.Resource) { r.Tenant = "T1" },
		"owner":  func(r *gateway.Resource) { r.Owner = "bob" },
		"method": func(r *gateway.Resource) { r.Method = "POST" },
		"query":  func(r *gateway.Resource) { r.Target = "/items/a" },
		"key":    func(r *gateway.Resource) { r.Call = "digest" },
	} {
		r := want.Resource
		change(&r)
		if got := found(t, results, r); got != "none" {
			t.Errorf("with another %s there is %q", name, got)
		}
	}

	keep(t, results, entry("later", after(2)), after(-1))
	keep(t, other, entry("last", after(1)), after(-1)) // by a clock that was set back
	if got := found(t, results, want.Resource); got != "last" {
		t.Errorf("the last of three answers is not there but %q", got)
	}
	fresh := entry("", after(9))
	fresh.Target, fresh.Body = "/items/fresh", nil
	keep(t, results, fresh, after(3))
	if got := found(t, results, want.Resource); got != "none" {
		t.Errorf("what is older than asked is still there: %q", got)
	}
	if got := found(t, results, fresh.Resource); got != "" {
		t.Errorf("an empty body became %q", got)
	}
}

func TestResultsListenToTheirContext(t *testing.T) {
	results := openAt(t, filepath.Join(t.TempDir(), "checkout.db")).Results()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := results.Keep(ctx, entry("x", epoch), epoch); err == nil {
		t.Error("kept under an ended context")
	}
	if _, err := results.Find(ctx, entry("x", epoch).Resource); err == nil || errors.Is(err, gateway.ErrNone) {
		t.Errorf("found under an ended context: %v", err)
	}
}
