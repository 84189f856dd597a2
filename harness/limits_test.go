package harness

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// rationed is a shop behind limits: what they hold back costs waits first.
type rationed struct {
	*shop
	left  int           // requests that may still be sent
	crowd int           // most requests at once
	waits time.Duration // before each request
}

func (r *rationed) Admit(ctx context.Context, n int, _ bool) (context.Context, func(), error) {
	r.mu.Lock()
	refused := n > r.crowd || n > r.left
	r.mu.Unlock()
	if refused {
		return nil, nil, fmt.Errorf("%w: %w: the run's budget is used up", ErrNotSent, ErrWithheld)
	}
	r.mu.Lock()
	r.left -= n
	r.mu.Unlock()
	<-time.After(r.waits)
	if ctx.Err() != nil {
		return nil, nil, fmt.Errorf("%w: %w: %w", ErrNotSent, ErrWithheld, ctx.Err())
	}
	return ctx, func() {}, nil
}

func rationedTarget(r *rationed) *Target {
	t := shopTarget(r.shop)
	t.Sender = r
	return t
}

// What the limits hold back makes an experiment inconclusive and says why; it is
// never a pass, and no lost target.
func TestWithheldRequestsProveNothing(t *testing.T) {
	crowd := oneOrder()
	crowd.Drive = func(ctx context.Context, s *Session) error {
		_, err := s.Together(ctx, s.Case("c"), 20, func(int) Attempt { return Attempt{Principal: "alice"} })
		return err
	}
	impatient := oneOrder()
	impatient.Drive = func(ctx context.Context, s *Session) error {
		c := s.Case("c")
		s.Send(ctx, c, Attempt{Principal: "alice"})
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		s.Send(ctx, c, Attempt{Principal: "alice"})
		return nil
	}
	for _, row := range []struct {
		name     string
		limits   rationed
		scenario Scenario
		want     Outcome
		says     string
	}{
		{"all of it within the limits", rationed{left: 5, crowd: 1}, oneOrder(), Pass, "one"},
		{"waiting alone disturbs nothing", rationed{left: 5, crowd: 1, waits: 3 * time.Second}, oneOrder(), Pass, "one"},
		{"the last request is too many", rationed{left: 4, crowd: 1}, oneOrder(), Inconclusive, "the run's budget is used up"},
		{"nothing is left at all", rationed{left: 3, crowd: 1}, oneOrder(), Inconclusive, "the run's budget is used up"},
		{"not even for the control", rationed{left: 1, crowd: 1}, oneOrder(), Inconclusive, "the run's budget is used up"},
		{"a crowd within the limits", rationed{left: 23, crowd: 20}, crowd, Pass, "one"},
		{"a crowd that is too large", rationed{left: 100, crowd: 19}, crowd, Inconclusive, "the run's budget is used up"},
		{"a crowd that the budget does not bear", rationed{left: 22, crowd: 50}, crowd, Inconclusive, "the run's budget is used up"},
		{"time ran out over waiting", rationed{left: 9, crowd: 1, waits: 2 * time.Second}, impatient, Inconclusive, "held back"},
	} {
		t.Run(row.name, bubble(func(t *testing.T) {
			row.limits.shop = &shop{}
			e, dir := run(t, rationedTarget(&row.limits), testCatalogue(row.scenario), everything)
			if c := e.Clauses[0]; c.Verdict != row.want || !strings.Contains(c.Reason, row.says) {
				t.Errorf("%s (%s), want %s and %q", c.Verdict, c.Reason, row.want, row.says)
			}
			if want := map[Outcome]int{Pass: ExitGreen, Inconclusive: ExitInconclusive}[row.want]; e.Run.Exit != want {
				t.Errorf("exit %d, want %d", e.Run.Exit, want)
			}
			if h, err := OpenHistory(HistoryFile(dir, "x/one-order")); err == nil && collect(h).lost != "" {
				t.Error("the history says that the target is gone")
			}
		}))
	}
}

// slow holds each request for a while, so that others meet it in flight.
type slow struct{ *rationed }

func (s slow) Send(ctx context.Context, a Attempt) (Request, Answer, error) {
	<-time.After(5 * time.Second)
	return s.rationed.Send(ctx, a)
}

func TestAWaitBesideARequestInFlightSpoils(t *testing.T) {
	bubble(func(t *testing.T) {
		beside := oneOrder()
		beside.Drive = func(ctx context.Context, s *Session) error {
			c := s.Case("c")
			return Parallel(2, func(i int) error {
				<-time.After(time.Duration(i) * 3 * time.Second)
				s.Send(ctx, c, Attempt{Principal: "alice"})
				return nil
			})
		}
		limits := &rationed{shop: &shop{}, left: 9, crowd: 1, waits: 2 * time.Second}
		target := rationedTarget(limits)
		target.Sender = slow{limits}
		e, _ := run(t, target, testCatalogue(beside), everything)
		if c := e.Clauses[0]; c.Verdict != Inconclusive || !strings.Contains(c.Reason, "while another of its case was in flight") {
			t.Errorf("%s (%s)", c.Verdict, c.Reason)
		}
	})(t)
}

// A failure that the ledger shows stands, whatever was held back; one that an
// unresolved outcome would explain does not.
func TestWhatStandsWithoutTheRequestsThatWereWithheld(t *testing.T) {
	held := Event{Type: MarkEvent, Mark: &Mark{Name: MarkWithheld, Detail: "budget"}}
	open := Event{Type: MarkEvent, Mark: &Mark{Name: MarkPending, Detail: "open"}}
	settled := Event{Type: MarkEvent, Mark: &Mark{Name: MarkSettled}}
	failed := func(*History) Verdict { return Failed("one", "two") }
	for _, row := range []struct {
		name   string
		check  Check
		events []Event
		want   Outcome
	}{
		{"the ledger speaks", Check{Judge: failed, Gates: Gates{Effects: true}}, []Event{settled, held}, Fail},
		{"the ledger is explained by an open outcome", Check{Judge: failed, Gates: Gates{Effects: true}}, []Event{settled, held, open}, Inconclusive},
		{"a second effect is not", Check{Judge: failed, Gates: Gates{Effects: true}, Invariant: "I1"}, []Event{settled, held, open}, Fail},
		{"what callers missed", Check{Judge: failed}, []Event{settled, held}, Inconclusive},
		{"a pass", Check{Judge: func(*History) Verdict { return Passed("fine") }}, []Event{settled, held}, Inconclusive},
		{"what does not apply", Check{Judge: func(*History) Verdict { return Inapplicable("knob") }}, []Event{held}, NotApplicable},
	} {
		h := NewHistory(Header{Capabilities: []Capability{CapEffects}}, row.events...)
		if got := Judge(Scenario{Checks: []Check{row.check}}, h)[0]; got.Verdict != row.want {
			t.Errorf("%s: %s (%s), want %s", row.name, got.Verdict, got.Reason, row.want)
		}
	}
}

func TestJobsKeepTheQueueShort(t *testing.T) {
	for _, row := range []struct {
		limits Limits
		want   int
	}{
		{Limits{}, 16}, {Limits{Rate: 20, Concurrency: 20}, 5}, {Limits{Concurrency: 50}, 12},
		{Limits{Rate: 1}, 1}, {Limits{Concurrency: 1000, Rate: 1000}, 16}, {Limits{Requests: 5}, 16},
	} {
		if got := row.limits.Jobs(16); got != row.want {
			t.Errorf("%+v: %d, want %d", row.limits, got, row.want)
		}
	}
}

func TestAWithheldErrorIsAlsoOneOfNothingSent(t *testing.T) {
	_, _, err := (&rationed{shop: &shop{}}).Admit(t.Context(), 1, false)
	if !errors.Is(err, ErrNotSent) || !errors.Is(err, ErrWithheld) {
		t.Error(err)
	}
}
