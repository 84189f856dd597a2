package limits

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/oncecheck/oncecheck/harness"
)

// bank counts what reaches the target and keeps each request for a while.
type bank struct {
	mu        sync.Mutex
	now, most int
	at        []time.Time
	holds     time.Duration
}

func (b *bank) Send(_ context.Context, a harness.Attempt) (harness.Request, harness.Answer, error) {
	b.mu.Lock()
	b.now++
	b.most = max(b.most, b.now)
	b.at = append(b.at, time.Now())
	b.mu.Unlock()
	if a.Ready != nil {
		a.Ready()
		<-a.Release
	}
	if b.holds > 0 {
		<-time.After(b.holds)
	}
	b.mu.Lock()
	b.now--
	b.mu.Unlock()
	return harness.Request{}, harness.Answer{Status: 201}, nil
}

// together sends n requests side by side and returns their errors.
func together(ctx context.Context, s harness.Sender, n int) []error {
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { _, _, errs[i] = s.Send(ctx, harness.Attempt{}) })
	}
	all.Wait()
	return errs
}

func TestWithoutLimitsNothingStandsBetween(t *testing.T) {
	b := &bank{}
	if got := New(b, harness.Limits{}); got != harness.Sender(b) {
		t.Errorf("got %T", got)
	}
}

func TestConcurrencyIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bank{holds: time.Second}
		together(t.Context(), New(b, harness.Limits{Concurrency: 3}), 20)
		if b.most != 3 || len(b.at) != 20 {
			t.Errorf("%d requests, at most %d at once, want 20 and 3", len(b.at), b.most)
		}
	})
}

func TestRateIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, started := &bank{}, time.Now()
		together(t.Context(), New(b, harness.Limits{Rate: 20}), 102)
		if took := time.Since(started); took < 5*time.Second-time.Millisecond || took > 5*time.Second+50*time.Millisecond {
			t.Errorf("102 requests at 20/s, of which 2 may come at once, took %s, want 5 s", took)
		}
	})
}

func TestBudgetIsKeptToTheLastRequest(t *testing.T) {
	b := &bank{}
	refused := 0
	for _, err := range together(t.Context(), New(b, harness.Limits{Requests: 7}), 20) {
		if err == nil {
			continue
		}
		refused++
		if !errors.Is(err, harness.ErrNotSent) || !errors.Is(err, harness.ErrWithheld) || !strings.Contains(err.Error(), "the run's budget of 7 requests is used up (limits.requests)") {
			t.Errorf("got %v", err)
		}
	}
	if len(b.at) != 7 || refused != 13 {
		t.Errorf("%d sent and %d refused, want 7 and 13", len(b.at), refused)
	}
}

func TestACrowdIsLetThroughWholeOrNotAtAll(t *testing.T) {
	b := &bank{}
	s := New(b, harness.Limits{Concurrency: 20, Requests: 30}).(harness.Admitter)
	if _, _, err := s.Admit(t.Context(), 21, false); !errors.Is(err, harness.ErrWithheld) || !strings.Contains(err.Error(), "limits.concurrency: 20") {
		t.Errorf("more at once than allowed: %v", err)
	}
	_, release, err := s.Admit(t.Context(), 20, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Admit(t.Context(), 11, false); err == nil || !strings.Contains(err.Error(), "limits.requests") {
		t.Errorf("more than is left of the budget: %v", err)
	}
	release()
	release() // once more gives nothing back
	admitted, release, err := s.Admit(t.Context(), 10, false)
	if err != nil {
		t.Fatalf("what was refused cost a part of the budget: %v", err)
	}
	defer release()
	for _, err := range together(admitted, s.(harness.Sender), 10) {
		if err != nil {
			t.Errorf("let through and then refused: %v", err)
		}
	}
	if errs := together(admitted, s.(harness.Sender), 1); errs[0] == nil {
		t.Error("an eleventh went out with ten let through")
	}
}

// Three crowds that together exceed the limit, each of which holds its
// connections until all of it is there.
func TestCrowdsDoNotLockEachOtherOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bank{}
		s := New(b, harness.Limits{Concurrency: 50, Rate: 50})
		var crowds sync.WaitGroup
		for _, n := range []int{2, 20, 50, 50, 20} {
			crowds.Go(func() {
				ctx, free, err := s.(harness.Admitter).Admit(t.Context(), n, false)
				if err != nil {
					t.Error(err)
					return
				}
				defer free()
				release := make(chan struct{})
				var ready, done sync.WaitGroup
				ready.Add(n)
				for range n {
					done.Go(func() {
						if _, _, err := s.Send(ctx, harness.Attempt{Ready: ready.Done, Release: release}); err != nil {
							t.Error(err)
						}
					})
				}
				ready.Wait()
				close(release)
				done.Wait()
			})
		}
		crowds.Wait()
		if len(b.at) != 142 || b.most > 50 {
			t.Errorf("%d requests, at most %d at once", len(b.at), b.most)
		}
	})
}

func TestTheUrgentGoFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slots{free: 2}
		if err := s.acquire(t.Context(), 1, false); err != nil {
			t.Fatal(err)
		}
		var order []string
		var mu sync.Mutex
		var all sync.WaitGroup
		take := func(name string, n int, urgent bool) {
			all.Go(func() {
				if err := s.acquire(t.Context(), n, urgent); err != nil {
					t.Error(err)
				}
				mu.Lock()
				order = append(order, name)
				mu.Unlock()
				s.release(n)
			})
			synctest.Wait()
		}
		take("crowd", 2, false)
		take("single", 1, false)
		take("urgent", 1, true) // passes the crowd, since one slot is free
		s.release(1)
		all.Wait()
		if got := strings.Join(order, " "); got != "urgent crowd single" {
			t.Errorf("served in the order %s", got)
		}
	})
}

func TestWhoeverLeavesTheQueueCostsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bank{holds: 10 * time.Second}
		s := New(b, harness.Limits{Concurrency: 1, Rate: 1, Requests: 3})
		var all sync.WaitGroup
		all.Go(func() { together(t.Context(), s, 1) })
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		for _, err := range together(ctx, s, 5) {
			if !errors.Is(err, harness.ErrNotSent) || !errors.Is(err, harness.ErrWithheld) {
				t.Errorf("got %v", err)
			}
		}
		all.Wait()
		for _, err := range together(t.Context(), s, 2) {
			if err != nil {
				t.Errorf("the budget or a slot was lost: %v", err)
			}
		}
	})
}

// Whatever comes and goes, slots are neither lost nor made.
func TestSlotsBalance(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		total := rapid.IntRange(1, 6).Draw(r, "slots")
		s := &slots{free: total}
		sizes := rapid.SliceOfN(rapid.IntRange(1, total), 1, 30).Draw(r, "sizes")
		var all sync.WaitGroup
		for i, n := range sizes {
			ctx, cancel := context.WithCancel(context.Background())
			if i%3 == 2 {
				go cancel()
			}
			all.Go(func() {
				defer cancel()
				if s.acquire(ctx, n, i%5 == 0) == nil {
					s.release(n)
				}
			})
		}
		all.Wait()
		if s.free != total || len(s.waiting) != 0 {
			r.Fatalf("%d of %d slots are free, %d wait", s.free, total, len(s.waiting))
		}
	})
}
