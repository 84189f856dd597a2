package check

import (
	"strings"
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// entry is one entry of the outbox as a reading showed it.
func (s *story) entry(c string, e harness.OutboxEvent) *story {
	return s.add(harness.Event{Type: harness.OutboxEntry, Case: "t/s/" + c, Outbox: &e})
}

// read is a reading of the outbox that came to rest.
func (s *story) read(strays int64) *story {
	return s.add(harness.Event{Type: harness.MarkEvent, Mark: &harness.Mark{Name: harness.MarkOutbox, Count: map[string]int64{harness.OutboxStrays: strays}}})
}

// beside is a reading of an outbox into which others write.
func (s *story) beside(others int64) *story {
	return s.add(harness.Event{Type: harness.MarkEvent, Mark: &harness.Mark{Name: harness.MarkOutbox, Count: map[string]int64{harness.OutboxOthers: others}}})
}

// TestOutboxOfOthers: what others write while it is replayed may be a replay's, and
// nobody is told to put it down to them.
func TestOutboxOfOthers(t *testing.T) {
	one := harness.OutboxEvent{Position: 1, EventID: "e1"}
	replayed := func(before func(*story) *story) *story {
		return before(newStory().send("a", keyK, created).entry("a", one)).mark("a", MarkReplays).send("a", keyK, created)
	}
	after := func(others int64) *story {
		return replayed(func(s *story) *story { return s.beside(2) }).beside(others)
	}
	judgeAll(t, NoEventOnReplay(All()),
		judged{"others wrote before", after(2), harness.Pass},
		judged{"others wrote meanwhile", after(3), harness.NotVerified},
		judged{"others wrote between the first request and the replays", newStory().send("a", keyK, created).beside(0).entry("a", one).beside(4).mark("a", MarkReplays).send("a", keyK, created).beside(4), harness.Pass},
		judged{"an event of a replay is known beside others'", after(3).entry("a", harness.OutboxEvent{Position: 9, EventID: "e9"}), harness.Fail},
	)
	for strays, advised := range map[int64]bool{0: false, 1: true} {
		v := NoEventOnReplay(All())(replayed(func(s *story) *story { return s.read(strays) }).read(2).history())
		if strings.Contains(v.Reason, "effects.shared") != advised || !strings.Contains(v.Reason, "2 entries belong to no request") {
			t.Errorf("%d strays before: %s", strays, v.Reason)
		}
	}
}

// TestSentAgain: an entry that was done with and is pending again is sent once more.
func TestSentAgain(t *testing.T) {
	three, two := int64(3), int64(2)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	pending := harness.OutboxEvent{Position: 1, EventID: "e1", Type: "CHECKOUT_SUCCEEDED", State: "PENDING", Sequence: 1, CorrelationID: "c1", OccurredAt: at, AttemptCount: &two}
	with := func(change func(*harness.OutboxEvent)) harness.OutboxEvent {
		e := pending
		change(&e)
		return e
	}
	delivered := with(func(e *harness.OutboxEvent) { e.State = "DELIVERED" })
	dead := with(func(e *harness.OutboxEvent) { e.State = "DEAD_LETTER" })
	more := with(func(e *harness.OutboxEvent) { e.AttemptCount = &three })
	unnumbered := with(func(e *harness.OutboxEvent) { e.Sequence, e.AttemptCount = 0, nil })
	from := func(first harness.OutboxEvent, then ...harness.OutboxEvent) *story {
		s := newStory().send("a", keyK, created).entry("a", first).read(0).mark("a", MarkReplays).send("a", keyK, created)
		for _, e := range then {
			s.entry("a", e)
		}
		return s.read(0)
	}
	judgeAll(t, NoEventOnReplay(All()),
		judged{"delivered, pending, delivered", from(delivered, pending, delivered), harness.Fail},
		judged{"pending, delivered, pending", from(pending, delivered, pending), harness.Fail},
		judged{"dead, pending", from(dead, pending), harness.Fail},
		judged{"fewer attempts", from(more, pending), harness.Fail},
		judged{"one more attempt after it was delivered", from(delivered, with(func(e *harness.OutboxEvent) { e.State, e.AttemptCount = "DELIVERED", &three })), harness.Fail},
		judged{"another time", from(pending, with(func(e *harness.OutboxEvent) { e.OccurredAt = at.Add(1) })), harness.Fail},
		judged{"another sequence", from(pending, with(func(e *harness.OutboxEvent) { e.Sequence = 2 })), harness.Fail},
		judged{"another type", from(pending, with(func(e *harness.OutboxEvent) { e.Type = "CHECKOUT_FAILED" })), harness.Fail},
		judged{"another correlation id", from(pending, with(func(e *harness.OutboxEvent) { e.CorrelationID = "c2" })), harness.Fail},
		judged{"the correlation id is gone", from(pending, with(func(e *harness.OutboxEvent) { e.CorrelationID = "" })), harness.Fail},
		judged{"one more attempt of what is pending", from(pending, more), harness.Pass},
		judged{"the last attempt", from(pending, dead), harness.Pass},
		judged{"numbered by its relay", from(unnumbered, pending), harness.Pass},
		judged{"sent again before the replays", newStory().send("a", keyK, created).entry("a", delivered).entry("a", pending).entry("a", delivered).read(0).mark("a", MarkReplays).send("a", keyK, created).read(0), harness.Pass},
	)
}

func TestNoEventOnReplay(t *testing.T) {
	one := harness.OutboxEvent{Position: 1, EventID: "e1", Type: "CHECKOUT_SUCCEEDED", State: "PENDING"}
	delivered, gone, reused, again := one, one, one, one
	delivered.State, gone.Gone, reused.EventID, again.Position = "DELIVERED", true, "e2", 2
	two := reused
	two.Position = 2
	begun := func() *story {
		return newStory().send("a", keyK, created).entry("a", one).read(0).mark("a", MarkReplays)
	}
	replayed := func() *story { return begun().send("a", keyK, created) }
	judgeAll(t, NoEventOnReplay(All()),
		judged{"one event, replayed", replayed().read(0), harness.Pass},
		judged{"two events of the first request", newStory().send("a", keyK, created).entry("a", one).entry("a", two).read(0).mark("a", MarkReplays).send("a", keyK, created).read(0), harness.Pass},
		judged{"delivered meanwhile", replayed().entry("a", delivered).read(0), harness.Pass},
		judged{"a new event", replayed().entry("a", two).read(0), harness.Fail},
		judged{"the same event once more", replayed().entry("a", again).read(0), harness.Fail},
		judged{"another event in the place of the first", replayed().entry("a", reused).read(0), harness.Fail},
		judged{"a new event, and the outbox forgets", replayed().entry("a", gone).entry("a", two).read(0), harness.Fail},
		judged{"the outbox forgets", replayed().entry("a", gone).read(0), harness.NotVerified},
		judged{"the outbox forgets, and was not read at the end", replayed().entry("a", gone).read(0).mark("", harness.MarkOutboxUnread), harness.Inconclusive},
		judged{"an event of nobody", replayed().read(1), harness.Inconclusive},
		judged{"a new event at the end of the run", replayed().read(0).entry("a", two), harness.Fail},
		judged{"not read again at the end of the run", replayed().read(0).mark("", harness.MarkOutboxUnread), harness.Inconclusive},
		judged{"only events of nobody", newStory().send("a", keyK, created).read(1).mark("a", MarkReplays).send("a", keyK, created).read(2), harness.Inconclusive},
		judged{"not read after the replays", replayed(), harness.Inconclusive},
		judged{"read, and replayed once more", replayed().read(0).send("a", keyK, created), harness.Inconclusive},
		judged{"not read before the replays", newStory().send("a", keyK, created).entry("a", one).mark("a", MarkReplays).send("a", keyK, created).read(0), harness.Inconclusive},
		judged{"the first request left none", newStory().send("a", keyK, created).read(0).mark("a", MarkReplays).send("a", keyK, created).read(0), harness.Inconclusive},
		judged{"its event came late", newStory().send("a", keyK, created).read(0).mark("a", MarkReplays).send("a", keyK, created).entry("a", one).read(0), harness.Inconclusive},
		judged{"the first request had not ended", newStory().send("a", keyK, busy).entry("a", one).read(0).mark("a", MarkReplays).send("a", keyK, created).entry("a", two).read(0), harness.Inconclusive},
		judged{"nothing was replayed", begun().read(0), harness.Inconclusive},
		judged{"never came to rest", newStory().send("a", keyK, created).entry("a", one).read(0).send("a", keyK, created).read(0), harness.Inconclusive},
		judged{"one case never came to rest, another is not quiet", newStory().send("b", harness.Request{Keys: []string{"l"}}, created).entry("b", two).read(0).mark("b", MarkReplays).
			send("b", harness.Request{Keys: []string{"l"}}, created).entry("b", harness.OutboxEvent{Position: 3, EventID: "e3"}).send("a", keyK, created).read(0), harness.Fail},
		judged{"an event of another case", replayed().entry("b", two).read(0), harness.Pass},
		judged{"one case is quiet, another is not", replayed().read(0).send("b", harness.Request{Keys: []string{"l"}}, created).entry("b", two).read(0).mark("b", MarkReplays).
			send("b", harness.Request{Keys: []string{"l"}}, created).entry("b", harness.OutboxEvent{Position: 3, EventID: "e3"}).read(0), harness.Fail},
	)
}
