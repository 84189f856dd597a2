package store_test

import (
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/oncecheck/oncecheck/reference/checkout"
	"github.com/oncecheck/oncecheck/reference/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func openAt(t *testing.T, path string) *store.SQLite {
	t.Helper()
	s, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestSQLite(t *testing.T) {
	conformance(t, func(t *testing.T) checkout.Store {
		return openAt(t, filepath.Join(t.TempDir(), "a folder? with #signs.db"))
	})
}

func TestRecordsOutliveTheProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "checkout.db")
	first := openAt(t, path)
	want := reserved(t, first)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if got := loaded(t, openAt(t, path), want.RequestID); !reflect.DeepEqual(got, want) {
		t.Fatalf("got %+v, want %+v", got, want)
	}
}

func TestInstancesShareOneFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "checkout.db")
	one, two := openAt(t, path), openAt(t, path)
	r := reserved(t, one)
	if got := loaded(t, two, r.RequestID); !reflect.DeepEqual(got, r) {
		t.Fatalf("the other instance sees %+v, want %+v", got, r)
	}
	again := fresh(2)
	again.Scope = r.Scope
	if got, created, err := two.Reserve(t.Context(), again); err != nil || created || got.RequestID != r.RequestID {
		t.Fatalf("the other instance: %+v, created %v, %v", got, created, err)
	}
}

// TestManyOpenANewFileTogether: instances that start at the same time on a fresh
// store all get it.
func TestManyOpenANewFileTogether(t *testing.T) {
	for range 20 {
		path := filepath.Join(t.TempDir(), "checkout.db")
		var opening sync.WaitGroup
		errs := make([]error, 8)
		for i := range errs {
			opening.Go(func() {
				s, err := store.Open(t.Context(), path)
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
}

func TestPathThatCannotBeOpened(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing", "checkout.db")
	if _, err := store.Open(t.Context(), path); err == nil || !strings.Contains(err.Error(), path) {
		t.Fatalf("got %v, want an error that names %s", err, path)
	}
}
