package store_test

import (
	"errors"
	"testing"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

// cancelling is a cancellation of the first record under a key of its own.
func cancelling(n int) checkout.Record {
	r := fresh(n)
	r.Scope.Operation, r.Cancels, r.Version = "cancel", "request-1", "v1"
	return r
}

// testCancellations: whoever comes second learns that somebody else cancels, and
// a cancellation that failed for good is in nobody's way.
func testCancellations(t *testing.T, s checkout.Store) {
	reserved(t, s)
	if _, err := s.Cancellation(t.Context(), "request-1"); !errors.Is(err, checkout.ErrUnknown) {
		t.Errorf("not cancelled: %v", err)
	}
	first, created, err := s.Reserve(t.Context(), cancelling(2))
	if err != nil || !created || first.Cancels != "request-1" || first.Version != "v1" {
		t.Fatalf("the first: %+v, created %v, %v", first, created, err)
	}
	if _, created, err := s.Reserve(t.Context(), cancelling(2)); err != nil || created {
		t.Errorf("the same again: created %v, %v", created, err)
	}
	if _, _, err := s.Reserve(t.Context(), cancelling(3)); !errors.Is(err, checkout.ErrCancelled) {
		t.Errorf("another one: %v", err)
	}
	if got, err := s.Cancellation(t.Context(), "request-1"); err != nil || got.RequestID != "request-2" {
		t.Errorf("cancelled by %q, %v", got.RequestID, err)
	}
	first.State = checkout.FailedFinal
	save(t, s, first)
	if _, err := s.Cancellation(t.Context(), "request-1"); !errors.Is(err, checkout.ErrUnknown) {
		t.Errorf("failed: %v", err)
	}
	if _, created, err := s.Reserve(t.Context(), cancelling(3)); err != nil || !created {
		t.Errorf("after one that failed: created %v, %v", created, err)
	}
}
