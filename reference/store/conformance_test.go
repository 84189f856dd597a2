package store_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// after returns a time n seconds after epoch.
func after(n int) time.Time { return epoch.Add(time.Duration(n) * time.Second) }

// fresh is a record as a service reserves it, with a lease of five seconds.
func fresh(n int) checkout.Record {
	return checkout.Record{
		RequestID:     fmt.Sprintf("request-%d", n),
		Scope:         checkout.Scope{Tenant: "t1", Principal: "alice", Operation: "checkout", Version: "v1", Key: fmt.Sprintf("key-%d", n)},
		Owner:         checkout.Owner{Tenant: "t1", Subject: "alice"},
		Fingerprint:   "f1",
		Order:         checkout.Order{CartID: "cart", CartVersion: 1, Currency: "EUR", Amount: 100, PaymentToken: "tok_ok"},
		CorrelationID: "c1",
		State:         checkout.Pending,
		Lock:          checkout.InProgress,
		Fence:         1,
		LeaseUntil:    after(5),
		DueAt:         after(5),
		Run:           1,
		CreatedAt:     epoch,
		UpdatedAt:     epoch,
	}
}

func reserved(t *testing.T, s checkout.Store) checkout.Record {
	t.Helper()
	r, created, err := s.Reserve(t.Context(), fresh(1))
	if err != nil || !created {
		t.Fatalf("reserve: created %v, %v", created, err)
	}
	return r
}

func loaded(t *testing.T, s checkout.Store, id string) checkout.Record {
	t.Helper()
	r, err := s.Load(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func save(t *testing.T, s checkout.Store, r checkout.Record, attempts ...checkout.Attempt) {
	t.Helper()
	if err := s.Save(t.Context(), r, attempts...); err != nil {
		t.Fatal(err)
	}
}

// conformance is what a checkout may rely on, whatever keeps the records.
func conformance(t *testing.T, open func(*testing.T) checkout.Store) {
	for name, test := range map[string]func(*testing.T, checkout.Store){
		"reserve returns what is stored":     testReserve,
		"every part of the scope counts":     testScope,
		"one of many reservations wins":      testRace,
		"unknown id":                         testUnknown,
		"one cancellation that did not fail": testCancellations,
		"save keeps everything":              testSave,
		"save leaves a live lease alone":     testSaveKeepsLease,
		"updatedAt never goes back":          testMonotone,
		"attempts are kept in order":         testAttempts,
		"a live lease is not claimed":        testHeld,
		"a dead worker is fenced out":        testFence,
		"a dead worker's run goes on":        testSameRun,
		"a parked record waits":              testParked,
		"a parked record is woken":           testWake,
		"a retryable failure is claimed":     testRetryable,
		"a finished record needs no work":    testFinished,
		"a clean-up that is due is claimed":  testCleanUpDue,
		"one of many claims wins":            testClaimRace,
		"due records come in order":          testDue,
		"an expired record is refused":       testExpired,
		"what is over is purged":             testPurge,
		"what is not over is not purged":     testPurgeSpares,
		"a cancellation keeps its checkout":  testPurgeKeeps,
		"an ended context changes no record": testCancelled,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

func testReserve(t *testing.T, s checkout.Store) {
	want := fresh(1)
	got := reserved(t, s)
	if !reflect.DeepEqual(strip(got), strip(want)) {
		t.Fatalf("got  %+v\nwant %+v", got, want)
	}
	other := fresh(2)
	other.Scope, other.Fingerprint = want.Scope, "f2"
	again, created, err := s.Reserve(t.Context(), other)
	if err != nil || created || !reflect.DeepEqual(again, got) {
		t.Fatalf("second reservation: created %v, %v, got %+v", created, err, again)
	}
	if _, err := s.Load(t.Context(), other.RequestID); !errors.Is(err, checkout.ErrUnknown) {
		t.Fatalf("the loser left a record: %v", err)
	}
}

// strip removes the difference between no header and no body and empty ones.
func strip(r checkout.Record) checkout.Record {
	if len(r.Response.Body) == 0 && len(r.Response.Header) == 0 {
		r.Response = checkout.Answer{}
	}
	return r
}

func testScope(t *testing.T, s checkout.Store) {
	scopes := []checkout.Scope{
		{Tenant: "t", Principal: "p", Operation: "o", Version: "v", Key: "k"},
		{Tenant: "T", Principal: "p", Operation: "o", Version: "v", Key: "k"},
		{Tenant: "t", Principal: "P", Operation: "o", Version: "v", Key: "k"},
		{Tenant: "t", Principal: "p", Operation: "O", Version: "v", Key: "k"},
		{Tenant: "t", Principal: "p", Operation: "o", Version: "V", Key: "k"},
		{Tenant: "t", Principal: "p", Operation: "o", Version: "v", Key: "K"},
		{Tenant: "t", Principal: "po", Operation: "", Version: "v", Key: "k"},
		{Tenant: "t", Principal: "p", Operation: "o", Version: "v", Key: "k "},
	}
	for i, scope := range scopes {
		r := fresh(i)
		r.Scope = scope
		if _, created, err := s.Reserve(t.Context(), r); err != nil || !created {
			t.Fatalf("%+v: created %v, %v", scope, created, err)
		}
	}
}

func testRace(t *testing.T, s checkout.Store) {
	const n = 16
	var wg sync.WaitGroup
	won := make(chan string, n)
	for i := range n {
		wg.Go(func() {
			r := fresh(i)
			r.Scope.Key = "same"
			stored, created, err := s.Reserve(context.Background(), r)
			if err != nil {
				t.Error(err)
			}
			if created {
				won <- stored.RequestID
			}
		})
	}
	wg.Wait()
	if len(won) != 1 {
		t.Fatalf("%d reservations won, want 1", len(won))
	}
}

func testUnknown(t *testing.T, s checkout.Store) {
	if _, err := s.Load(t.Context(), "nobody"); !errors.Is(err, checkout.ErrUnknown) {
		t.Fatalf("load: %v", err)
	}
	if _, err := s.Claim(t.Context(), "nobody", epoch, after(5)); !errors.Is(err, checkout.ErrHeld) {
		t.Fatalf("claim: %v", err)
	}
	if err := s.Save(t.Context(), fresh(1)); !errors.Is(err, checkout.ErrFenced) {
		t.Fatalf("save: %v", err)
	}
}

func testSave(t *testing.T, s checkout.Store) {
	r := reserved(t, s)
	r.State, r.Code, r.Lock = checkout.FailedFinal, "PAYMENT_DECLINED", checkout.Released
	r.LeaseUntil, r.DueAt = time.Time{}, time.Time{}
	r.ReservationID, r.ChargeID, r.OrderID, r.AttemptCount = "r", "c", "o", 7
	r.Response = checkout.Answer{Status: 402, Header: http.Header{"Location": {"/x"}}, Body: []byte("{\"a\": 1}\n")}
	r.UpdatedAt, r.TerminalAt, r.ExpiresAt = after(1), after(2), after(3)
	save(t, s, r)
	if got := loaded(t, s, r.RequestID); !reflect.DeepEqual(got, r) {
		t.Fatalf("got  %+v\nwant %+v", got, r)
	}
}

func testSaveKeepsLease(t *testing.T, s checkout.Store) {
	r := reserved(t, s)
	if err := s.Extend(t.Context(), r.RequestID, r.Fence, after(9)); err != nil {
		t.Fatal(err)
	}
	r.ChargeID = "c" // the worker still believes in its old lease
	save(t, s, r)
	if got := loaded(t, s, r.RequestID); !got.LeaseUntil.Equal(after(9)) || !got.DueAt.Equal(after(9)) {
		t.Fatalf("lease until %v, due at %v; want both %v", got.LeaseUntil, got.DueAt, after(9))
	}
}

func testMonotone(t *testing.T, s checkout.Store) {
	r := reserved(t, s)
	r.UpdatedAt = after(-1)
	save(t, s, r)
	if got := loaded(t, s, r.RequestID); !got.UpdatedAt.Equal(epoch) {
		t.Fatalf("updated at %v, want %v", got.UpdatedAt, epoch)
	}
}

func testAttempts(t *testing.T, s checkout.Store) {
	r := reserved(t, s)
	first := checkout.Attempt{Dependency: "payment", Operation: "charge", Run: 1, Number: 1, CorrelationID: "c1", StartedAt: after(1)}
	second := checkout.Attempt{Dependency: "payment", Operation: "charge", Run: 1, Number: 2, CorrelationID: "c1", StartedAt: after(2)}
	save(t, s, r, first)
	if got, err := s.Attempts(t.Context(), r.RequestID); err != nil || !reflect.DeepEqual(got, []checkout.Attempt{first}) || !got[0].Open() {
		t.Fatalf("under way: %+v, %v", got, err)
	}
	first.Class, first.Status, first.Unknown, first.EndedAt = "server-error", 500, true, after(2)
	save(t, s, r, first, second)
	if got, err := s.Attempts(t.Context(), r.RequestID); err != nil || !reflect.DeepEqual(got, []checkout.Attempt{first, second}) {
		t.Fatalf("got %+v, %v", got, err)
	}
}

func testHeld(t *testing.T, s checkout.Store) {
	r := reserved(t, s)
	if _, err := s.Claim(t.Context(), r.RequestID, after(4), after(9)); !errors.Is(err, checkout.ErrHeld) {
		t.Fatalf("got %v, want %v", err, checkout.ErrHeld)
	}
}

func testFence(t *testing.T, s checkout.Store) {
	old := reserved(t, s)
	claimed, err := s.Claim(t.Context(), old.RequestID, after(5), after(10))
	if err != nil || claimed.Fence != 2 || !claimed.LeaseUntil.Equal(after(10)) {
		t.Fatalf("got %+v, %v", claimed, err)
	}
	old.ChargeID = "late"
	attempt := checkout.Attempt{Operation: "charge", Run: 1, Number: 1, StartedAt: after(1)}
	if err := s.Save(t.Context(), old, attempt); !errors.Is(err, checkout.ErrFenced) {
		t.Fatalf("save of the old worker: %v", err)
	}
	if err := s.Extend(t.Context(), old.RequestID, old.Fence, after(99)); !errors.Is(err, checkout.ErrFenced) {
		t.Fatalf("lease of the old worker: %v", err)
	}
	attempts, err := s.Attempts(t.Context(), old.RequestID)
	if got := loaded(t, s, old.RequestID); got.ChargeID != "" || len(attempts) != 0 || err != nil {
		t.Fatalf("the old worker wrote %+v, %v, %v", got, attempts, err)
	}
}

func testSameRun(t *testing.T, s checkout.Store) {
	r := reserved(t, s)
	if got, err := s.Claim(t.Context(), r.RequestID, after(5), after(10)); err != nil || got.Run != 1 {
		t.Fatalf("run %d, %v; want run 1", got.Run, err)
	}
}

func testParked(t *testing.T, s checkout.Store) {
	r := reserved(t, s)
	r.Lock, r.DueAt, r.Code = checkout.Parked, after(3), "CHECKOUT_PENDING"
	save(t, s, r)
	if _, err := s.Claim(t.Context(), r.RequestID, after(2), after(9)); !errors.Is(err, checkout.ErrHeld) {
		t.Fatalf("before it is due: %v", err)
	}
	got, err := s.Claim(t.Context(), r.RequestID, after(3), after(9))
	if err != nil || got.Run != 2 || got.Lock != checkout.InProgress || got.State != checkout.Pending || got.Code != "CHECKOUT_PENDING" {
		t.Fatalf("when it is due: %+v, %v", got, err)
	}
}

func testRetryable(t *testing.T, s checkout.Store) {
	r := reserved(t, s)
	r.State, r.Code, r.Lock, r.DueAt = checkout.FailedRetryable, "SERVICE_UNAVAILABLE", checkout.Released, time.Time{}
	save(t, s, r)
	got, err := s.Claim(t.Context(), r.RequestID, after(1), after(6))
	if err != nil || got.State != checkout.Pending || got.Code != "" || got.Run != 2 || got.Fence != 2 {
		t.Fatalf("got %+v, %v", got, err)
	}
}

func testFinished(t *testing.T, s checkout.Store) {
	r := reserved(t, s)
	r.State, r.Lock, r.DueAt = checkout.Succeeded, checkout.Released, time.Time{}
	save(t, s, r)
	if _, err := s.Claim(t.Context(), r.RequestID, after(99), after(104)); !errors.Is(err, checkout.ErrHeld) {
		t.Fatalf("got %v, want %v", err, checkout.ErrHeld)
	}
}

func testCleanUpDue(t *testing.T, s checkout.Store) {
	r := reserved(t, s)
	r.State, r.Lock, r.DueAt = checkout.FailedFinal, checkout.Released, after(3)
	save(t, s, r)
	got, err := s.Claim(t.Context(), r.RequestID, after(3), after(8))
	if err != nil || got.State != checkout.FailedFinal {
		t.Fatalf("got %+v, %v", got, err)
	}
}

func testClaimRace(t *testing.T, s checkout.Store) {
	r := reserved(t, s)
	var wg sync.WaitGroup
	won := make(chan int64, 16)
	for range cap(won) {
		wg.Go(func() {
			got, err := s.Claim(context.Background(), r.RequestID, after(5), after(10))
			if err == nil {
				won <- got.Fence
			} else if !errors.Is(err, checkout.ErrHeld) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if len(won) != 1 {
		t.Fatalf("%d claims won, want 1", len(won))
	}
}

func testDue(t *testing.T, s checkout.Store) {
	for i, at := range []time.Time{after(30), after(10), {}, after(20), after(40)} {
		r := fresh(i)
		r.DueAt = at
		if _, _, err := s.Reserve(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	for limit, want := range map[int][]string{9: {"request-1", "request-3", "request-0"}, 1: {"request-1"}} {
		if got, err := s.Due(t.Context(), after(30), limit); err != nil || !slices.Equal(got, want) {
			t.Fatalf("limit %d: %v, %v; want %v", limit, got, err, want)
		}
	}
}

func testCancelled(t *testing.T, s checkout.Store) {
	r := reserved(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	changed := r
	changed.ChargeID = "c"
	if err := s.Save(ctx, changed); err == nil {
		t.Fatal("saved under an ended context")
	}
	if _, _, err := s.Reserve(ctx, fresh(2)); err == nil {
		t.Fatal("reserved under an ended context")
	}
	if got := loaded(t, s, r.RequestID); got.ChargeID != "" {
		t.Fatalf("got %+v", got)
	}
}
