package check

import (
	"testing"

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
		judged{"the outbox forgets", replayed().entry("a", gone).read(0), harness.Inconclusive},
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
