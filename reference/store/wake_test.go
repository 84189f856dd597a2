package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

// paidUnder is a record that the payment provider knows by a key.
func paidUnder(t *testing.T, s checkout.Store, n int, key string) checkout.Record {
	t.Helper()
	r := fresh(n)
	r.PaymentKey = key
	stored, created, err := s.Reserve(t.Context(), r)
	if err != nil || !created || stored.PaymentKey != key {
		t.Fatalf("reserve: %+v, created %v, %v", stored, created, err)
	}
	return stored
}

func woken(t *testing.T, s checkout.Store, key string, now time.Time) checkout.Record {
	t.Helper()
	r, err := s.Wake(t.Context(), key, now)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// testWake: only what is parked is due earlier, and is never put off.
func testWake(t *testing.T, s checkout.Store) {
	r := paidUnder(t, s, 1, "pk-1")
	paidUnder(t, s, 2, "")
	paidUnder(t, s, 3, "pk-3")
	for _, key := range []string{"", "pk-2", "request-1"} {
		if _, err := s.Wake(t.Context(), key, after(1)); !errors.Is(err, checkout.ErrUnknown) {
			t.Errorf("key %q: %v", key, err)
		}
	}
	if got := woken(t, s, "pk-1", after(1)); got.RequestID != r.RequestID || got.Lock != checkout.InProgress || !got.DueAt.Equal(after(5)) || !got.LeaseUntil.Equal(after(5)) {
		t.Errorf("at work: %+v", got)
	}
	if _, err := s.Claim(t.Context(), r.RequestID, after(2), after(9)); !errors.Is(err, checkout.ErrHeld) {
		t.Errorf("its lease was given away: %v", err)
	}
	r.Lock, r.DueAt = checkout.Parked, after(8)
	save(t, s, r)
	for _, now := range []time.Time{after(3), after(4)} {
		if got := woken(t, s, "pk-1", now); got.Lock != checkout.Parked || !got.DueAt.Equal(after(3)) {
			t.Errorf("parked, at %v: %+v", now, got)
		}
	}
	if got := loaded(t, s, "request-3"); !got.DueAt.Equal(after(5)) {
		t.Errorf("another record was woken: %+v", got)
	}
	claimed, err := s.Claim(t.Context(), r.RequestID, after(3), after(8))
	if err != nil || claimed.Run != 2 {
		t.Fatalf("it was not due: %+v, %v", claimed, err)
	}
	claimed.State, claimed.Lock, claimed.DueAt = checkout.Succeeded, checkout.Released, time.Time{}
	save(t, s, claimed)
	if got := woken(t, s, "pk-1", after(9)); got.State != checkout.Succeeded || !got.DueAt.IsZero() {
		t.Errorf("over: %+v", got)
	}
}
