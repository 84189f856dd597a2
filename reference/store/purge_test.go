package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

// over ends a record, which expires n seconds after epoch.
func over(t *testing.T, s checkout.Store, r checkout.Record, n int) checkout.Record {
	t.Helper()
	r.State, r.Lock, r.DueAt, r.TerminalAt, r.ExpiresAt = checkout.Succeeded, checkout.Released, time.Time{}, after(1), after(n)
	save(t, s, r, checkout.Attempt{Operation: "charge", Run: 1, Number: 1, StartedAt: epoch})
	return r
}

// again reserves the scope of r at a time, for another request.
func again(t *testing.T, s checkout.Store, r checkout.Record, n, seconds int) error {
	t.Helper()
	other := fresh(n)
	other.Scope, other.CreatedAt = r.Scope, after(seconds)
	_, _, err := s.Reserve(t.Context(), other)
	return err
}

func purge(t *testing.T, s checkout.Store, seconds, limit, want int) {
	t.Helper()
	if n, err := s.Purge(t.Context(), after(seconds), limit); err != nil || n != want {
		t.Fatalf("purged %d records, %v; want %d", n, err, want)
	}
}

func testExpired(t *testing.T, s checkout.Store) {
	r := over(t, s, reserved(t, s), 100)
	if err := again(t, s, r, 2, 99); err != nil {
		t.Errorf("before it expires: %v", err)
	}
	if err := again(t, s, r, 2, 100); !errors.Is(err, checkout.ErrExpired) {
		t.Errorf("when it has expired: %v", err)
	}
}

func testPurge(t *testing.T, s checkout.Store) {
	r := over(t, s, reserved(t, s), 100)
	second, _, err := s.Reserve(t.Context(), fresh(2))
	if err != nil {
		t.Fatal(err)
	}
	over(t, s, second, 101)
	purge(t, s, 99, 9, 0)
	purge(t, s, 200, 1, 1)
	purge(t, s, 200, 9, 1)
	purge(t, s, 200, 9, 0)
	for n, scope := range []checkout.Record{r, second} {
		if _, err := s.Load(t.Context(), scope.RequestID); !errors.Is(err, checkout.ErrUnknown) {
			t.Errorf("record %d is still there: %v", n+1, err)
		}
		if err := again(t, s, scope, 9, 0); !errors.Is(err, checkout.ErrExpired) {
			t.Errorf("the key of record %d is free: %v", n+1, err)
		}
	}
	if attempts, err := s.Attempts(t.Context(), r.RequestID); err != nil || len(attempts) > 0 {
		t.Errorf("%d attempts are left, %v", len(attempts), err)
	}
	other := r
	other.Scope.Principal = "bob"
	if err := again(t, s, other, 10, 200); err != nil {
		t.Errorf("the key of somebody else: %v", err)
	}
}

func testPurgeSpares(t *testing.T, s checkout.Store) {
	open := reserved(t, s)
	for n, change := range map[int]func(*checkout.Record){
		2: func(r *checkout.Record) { r.State, r.Lock = checkout.Pending, checkout.Parked },
		3: func(r *checkout.Record) { r.State, r.Lock = checkout.FailedRetryable, checkout.Released },
		4: func(r *checkout.Record) { r.State, r.Lock, r.DueAt = checkout.FailedFinal, checkout.Released, after(7) },
		5: func(r *checkout.Record) { r.State, r.Lock = checkout.Succeeded, checkout.InProgress },
	} {
		r, _, err := s.Reserve(t.Context(), fresh(n))
		if err != nil {
			t.Fatal(err)
		}
		r.DueAt, r.ExpiresAt = time.Time{}, after(100)
		change(&r)
		save(t, s, r)
	}
	purge(t, s, 1000, 9, 0)
	if got := loaded(t, s, open.RequestID); got.State != checkout.Pending {
		t.Errorf("the open record is %s", got.State)
	}
}

// testPurgeKeeps: a cancellation that is not over keeps its checkout, unless it
// failed. When both are over, the checkout goes first.
func testPurgeKeeps(t *testing.T, s checkout.Store) {
	over(t, s, reserved(t, s), 100)
	failed, _, err := s.Reserve(t.Context(), cancelling(2))
	if err != nil {
		t.Fatal(err)
	}
	failed.State, failed.Lock, failed.DueAt, failed.TerminalAt, failed.ExpiresAt = checkout.FailedFinal, checkout.Released, time.Time{}, after(1), after(300)
	save(t, s, failed)
	r, _, err := s.Reserve(t.Context(), cancelling(3))
	if err != nil {
		t.Fatal(err)
	}
	purge(t, s, 150, 9, 0)
	over(t, s, r, 200)
	purge(t, s, 199, 9, 0)
	purge(t, s, 200, 1, 1)
	if _, err := s.Load(t.Context(), "request-1"); !errors.Is(err, checkout.ErrUnknown) {
		t.Errorf("its cancellation went first: %v", err)
	}
	purge(t, s, 200, 9, 1)
}
