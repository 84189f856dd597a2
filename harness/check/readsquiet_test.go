package check

import (
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

func TestReadsChangeNothing(t *testing.T) {
	reading := func(between func(*story), answers ...harness.Answer) *story {
		s := newStory().send("a", keyK, created).charge("a", "p1", "", 201).mark("a", MarkReads)
		for _, a := range answers {
			s.send("a", statusRead, a)
		}
		between(s)
		return s.mark("a", MarkReadsOver)
	}
	nothing := func(*story) {}
	later, more, bare := described(), described(), described()
	later.UpdatedAt = "2026-01-02T03:04:06Z"
	more.AttemptCount = count(4)
	bare.UpdatedAt = ""
	judgeAll(t, ReadsChangeNothing(All(), 2),
		judged{"nothing happens", reading(nothing, described(), described()), harness.Pass},
		judged{"a call is made meanwhile", reading(func(s *story) {
			s.call("a", harness.Call{Link: "payment", Operation: "query", Method: "GET", Path: "/charges"})
		}, described(), described()), harness.Fail},
		judged{"the time of change moves", reading(nothing, described(), later), harness.Fail},
		judged{"an attempt is counted", reading(nothing, described(), more), harness.Fail},
		judged{"a call after the reads", reading(nothing, described(), described()).charge("a", "p1", "", 201), harness.Pass},
		judged{"too few reads", reading(nothing, described()), harness.Inconclusive},
		judged{"a status that would not show it", reading(nothing, bare, bare), harness.Inconclusive},
		judged{"a read finds nothing", reading(nothing, described(), notFound), harness.Inconclusive},
		judged{"nobody said when", newStory().send("a", statusRead, described()).send("a", statusRead, described()), harness.Inconclusive},
		judged{"a stray meanwhile", reading(func(s *story) {
			s.add(harness.Event{Type: harness.CallEvent, Call: &harness.Call{Link: "payment", Method: "GET", Path: "/charges", Started: s.events[len(s.events)-1].At}})
		}, described(), described()), harness.Inconclusive},
	)
}
