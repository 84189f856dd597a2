package harness

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// box is an outbox into which the test writes.
type box struct {
	mu     sync.Mutex
	events []OutboxEvent
	err    error
}

func (b *box) Events(_ context.Context, since int64) ([]OutboxEvent, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var later []OutboxEvent
	for _, e := range b.events {
		if e.Position > since {
			later = append(later, e)
		}
	}
	return later, b.err
}

func (b *box) set(events ...OutboxEvent) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events = events
}

func (b *box) fail(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.err = err
}

// toldOf returns what the history tells of the outbox, a word each.
func toldOf(t *testing.T, dir string) string {
	t.Helper()
	var told []string
	for _, e := range eventsOf(t, dir, "x/one-order") {
		switch {
		case e.Type == OutboxEntry:
			word := fmt.Sprintf("%s:%d:%s", strings.TrimPrefix(e.Case, "x/one-order/"), e.Outbox.Position, e.Outbox.State)
			if e.Outbox.Gone {
				word += ":gone"
			}
			told = append(told, word)
			if !strings.Contains(e.String(), e.Outbox.EventID) {
				t.Errorf("told as %s", e)
			}
		case e.Type == MarkEvent && e.Mark.Name == MarkOutbox:
			word := fmt.Sprintf("%d+%d", e.Mark.Count[OutboxOurs], e.Mark.Count[OutboxStrays])
			if n := e.Mark.Count[OutboxOthers]; n > 0 {
				word += fmt.Sprintf("+%d", n)
			}
			told = append(told, word)
		}
	}
	return strings.Join(told, " ")
}

// TestReadOutbox: each entry of ours is recorded when it is new, when it has changed
// and when it is gone, and what belongs to nobody is counted. What was there before
// the run is none of its business.
func TestReadOutbox(t *testing.T) {
	bubble(func(t *testing.T) {
		old := OutboxEvent{Position: 3, EventID: "old"}
		target, outbox := shopTarget(&shop{}), &box{events: []OutboxEvent{old}}
		target.Observe.Outbox = outbox
		_, dir := run(t, target, watching(func(ctx context.Context, s *Session, c *Case) error {
			r := s.Send(ctx, c, Attempt{Principal: "alice", CorrelationID: "another"})
			byCorrelation := OutboxEvent{Position: 5, EventID: "e1", CorrelationID: c.CorrelationID, State: "PENDING"}
			byRequest := OutboxEvent{Position: 6, EventID: "e2", AggregateID: r.Answer.RequestID, State: "PENDING"}
			byAttempt := OutboxEvent{Position: 7, EventID: "e3", CorrelationID: "another", State: "PENDING"}
			nobodys := OutboxEvent{Position: 8, EventID: "e4", CorrelationID: "who"}
			outbox.set(old, byCorrelation, byRequest, byAttempt)
			if err := s.ReadOutbox(ctx); err != nil {
				return err
			}
			byCorrelation.State = "DELIVERED"
			outbox.set(old, byCorrelation, byAttempt, nobodys)
			return s.ReadOutbox(ctx)
		}), everything)
		const want = "c:5:PENDING c:6:PENDING c:7:PENDING 3+0 c:5:DELIVERED c:6:PENDING:gone 2+1"
		if got := toldOf(t, dir); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})(t)
}

// TestLateEvents: what comes into the outbox after the last reading of a scenario is
// added to its history at the end of the run, what it holds already is not, and an
// outbox that cannot be read by then is told of.
func TestLateEvents(t *testing.T) {
	for name, row := range map[string]struct {
		err  error
		want string
	}{"read": {nil, "c:1: c:2:"}, "unread": {errors.New("status 500"), "c:1: " + MarkOutboxUnread}} {
		t.Run(name, bubble(func(t *testing.T) {
			target, outbox := shopTarget(&shop{}), &box{}
			target.Observe.Outbox = outbox
			seen, catalogue := "", watching(func(ctx context.Context, s *Session, c *Case) error {
				early := OutboxEvent{Position: 1, EventID: "e1", CorrelationID: c.CorrelationID}
				outbox.set(early)
				if err := s.ReadOutbox(ctx); err != nil {
					return err
				}
				late := early
				late.Position = 2
				outbox.set(early, late)
				outbox.fail(row.err)
				return nil
			})
			catalogue.Scenarios[0].Checks = []Check{{Name: "sees", Clause: "C.1", Judge: func(h *History) Verdict {
				var all []string
				for e := range h.Events() {
					switch {
					case e.Type == OutboxEntry:
						all = append(all, fmt.Sprintf("%s:%d:%s", strings.TrimPrefix(e.Case, "x/one-order/"), e.Outbox.Position, e.Outbox.State))
					case e.Type == MarkEvent && e.Mark.Name == MarkOutboxUnread:
						all = append(all, e.Mark.Name)
					}
				}
				seen = strings.Join(all, " ")
				return Passed("seen")
			}}}
			run(t, target, catalogue, everything)
			if seen != row.want {
				t.Errorf("the last to judge saw %q, want %q", seen, row.want)
			}
		}))
	}
}

// TestOutboxOfOthers: where others leave effects, an entry of nobody may be theirs.
// Each that is found is counted apart and stays counted, but for one whose owner is
// known before the reading ends, and none holds the reading up.
func TestOutboxOfOthers(t *testing.T) {
	bubble(func(t *testing.T) {
		target, outbox := shopTarget(&shop{}), &box{}
		target.Observe.Outbox, target.Info.SharedLedger = outbox, true
		var took time.Duration
		_, dir := run(t, target, watching(func(ctx context.Context, s *Session, c *Case) error {
			theirs, ours := OutboxEvent{Position: 1, EventID: "e", CorrelationID: "who"}, OutboxEvent{Position: 2, EventID: "e2", CorrelationID: "known late"}
			outbox.set(theirs, ours)
			if _, err := s.sampleOutbox(ctx); err != nil {
				return err
			}
			s.ownsEvents(c, ours.CorrelationID)
			began := time.Now()
			if err := s.ReadOutbox(ctx); err != nil {
				return err
			}
			took = time.Since(began)
			s.ownsEvents(c, theirs.CorrelationID) // too late: it was counted
			theirs.EventID, theirs.CorrelationID = "another in its place", "whoever"
			outbox.set(theirs, ours)
			return s.ReadOutbox(ctx)
		}), everything)
		if got, want := toldOf(t, dir), "c:2: 1+0+1 1+0+2"; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if took >= logLimit {
			t.Errorf("what others left held the reading up for %v", took)
		}
	})(t)
}

// TestOutboxUnread: an outbox that is not offered, or cannot be read, leaves the
// experiment undecided.
func TestOutboxUnread(t *testing.T) {
	bubble(func(t *testing.T) {
		for name, outbox := range map[string]Outbox{"not offered": nil, "not readable": &box{err: errors.New("status 500")}} {
			target := shopTarget(&shop{})
			target.Observe.Outbox = outbox
			_, dir := run(t, target, watching(func(ctx context.Context, s *Session, _ *Case) error { return s.ReadOutbox(ctx) }), everything)
			told := false
			for _, e := range eventsOf(t, dir, "x/one-order") {
				told = told || e.Type == MarkEvent && e.Mark.Name == MarkError && strings.Contains(e.Mark.Detail, "outbox")
			}
			if !told || strings.Contains(toldOf(t, dir), "+") {
				t.Errorf("%s: told %v, %s", name, told, toldOf(t, dir))
			}
		}
	})(t)
}

// selling is a shop whose checkouts leave an event each, which carries what the
// test lets it carry.
type selling struct {
	*shop
	*box
	carries func(Attempt, Answer) OutboxEvent
}

func (s selling) Send(ctx context.Context, a Attempt) (Request, Answer, error) {
	r, answer, err := s.shop.Send(ctx, a)
	e := s.carries(a, answer)
	s.box.mu.Lock()
	defer s.box.mu.Unlock()
	e.Position = int64(len(s.box.events) + 1)
	s.box.events = append(s.box.events, e)
	return r, answer, err
}

func (s selling) Effects(ctx context.Context, since int64) ([]Effect, error) {
	return s.shop.Effects(ctx, since)
}

// TestTriesOutbox: an outbox in which nobody finds the event of a checkout that was
// made shows nothing of what others leave there either.
func TestTriesOutbox(t *testing.T) {
	for name, row := range map[string]struct {
		carries func(Attempt, Answer) OutboxEvent
		err     error
		works   bool
	}{
		"the correlation id": {func(a Attempt, _ Answer) OutboxEvent {
			return OutboxEvent{EventID: "e", CorrelationID: a.CorrelationID}
		}, nil, true},
		"the request id": {func(_ Attempt, b Answer) OutboxEvent { return OutboxEvent{EventID: "e", AggregateID: b.RequestID} }, nil, true},
		"neither":        {func(Attempt, Answer) OutboxEvent { return OutboxEvent{EventID: "e", CorrelationID: "its own"} }, nil, false},
		"not readable": {func(a Attempt, _ Answer) OutboxEvent {
			return OutboxEvent{EventID: "e", CorrelationID: a.CorrelationID}
		}, errors.New("status 404"), false},
	} {
		t.Run(name, bubble(func(t *testing.T) {
			s := selling{&shop{}, &box{err: row.err}, row.carries}
			target := shopTarget(s.shop)
			target.Sender, target.Probe, target.Observe.Outbox = s, nil, s.box
			target.Info.Capabilities = append(target.Info.Capabilities, CapOutbox)
			got, err := TryClaims(t.Context(), target, t.TempDir(), func(Capability) bool { return false })
			if err != nil || len(got) != 1 || got[0].Works != row.works || got[0].Name != string(CapOutbox) {
				t.Errorf("%+v, %v", got, err)
			}
		}))
	}
}

// TestNothingReadsTheOutbox: a capability without a reader is a claim that does not
// work.
func TestNothingReadsTheOutbox(t *testing.T) {
	bubble(func(t *testing.T) {
		target := shopTarget(&shop{})
		target.Probe = nil
		target.Info.Capabilities = append(target.Info.Capabilities, CapOutbox)
		got, err := TryClaims(t.Context(), target, t.TempDir(), func(Capability) bool { return false })
		if err != nil || len(got) != 1 || got[0].Works {
			t.Errorf("%+v, %v", got, err)
		}
	})(t)
}
