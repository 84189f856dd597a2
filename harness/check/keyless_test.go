package check

import (
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

func TestKeylessTolerated(t *testing.T) {
	again := func(request, order string) *story {
		return newStory().send("a", harness.Request{}, created).send("a", harness.Request{}, harness.Answer{Status: 201, RequestID: request, OrderID: order})
	}
	judgeAll(t, KeylessTolerated(All()),
		judged{"tolerated", newStory().send("a", harness.Request{}, boughtAs(1)).send("a", harness.Request{}, boughtAs(2)), harness.Pass},
		judged{"refused", newStory().send("a", harness.Request{}, invalid), harness.Fail},
		judged{"one order for two", newStory().send("a", harness.Request{}, boughtAs(1)).send("a", harness.Request{}, boughtAs(1)), harness.Fail},
		judged{"one order under two request ids", again("r2", "o1"), harness.Fail},
		judged{"one request under two order ids", again("r1", "o2"), harness.Fail},
		judged{"a key after all", newStory().send("a", keyK, created), harness.Inconclusive},
		judged{"no answer", func() *story { s := newStory(); return s.lose(s.invoke("a", harness.Request{})) }(), harness.Inconclusive},
	)
}

func TestKeysCounted(t *testing.T) {
	read := func(s *story, keyed, keyless, series int64, detail string) *story {
		return s.add(harness.Event{Type: harness.MarkEvent, Mark: &harness.Mark{Name: harness.MarkMetrics, Detail: detail, Count: map[string]int64{"lines": 9,
			harness.MetricKeyed: keyed, harness.MetricKeyless: keyless, harness.SeriesOf(harness.MetricKeyed): series, harness.SeriesOf(harness.MetricKeyless): series}}})
	}
	marked := harness.Request{Keys: []string{harness.CanaryKey.Marker() + "-1"}, Principal: "bob"}
	before := func() *story {
		return read(newStory().send("before", keyK, created).send("before", harness.Request{}, created), 5, 3, 2, "")
	}
	both := func() *story {
		return before().send("counted-1", harness.Request{}, boughtAs(1)).send("counted-2", marked, boughtAs(2))
	}
	judgeAll(t, KeysCounted(Labelled("counted-")),
		judged{"counted", read(both(), 6, 4, 2, ""), harness.Pass},
		judged{"the keyless one is not", read(both(), 6, 3, 2, ""), harness.Fail},
		judged{"the keyed one is not", read(both(), 5, 4, 2, ""), harness.Fail},
		judged{"a series for each customer", read(both(), 6, 4, 3, ""), harness.Fail},
		judged{"a key in a label", read(both(), 6, 4, 2, `requests_keyed{key="`+harness.CanaryKey.Marker()+`"} 1`), harness.Fail},
		judged{"one reading", both(), harness.Inconclusive},
		judged{"one customer", read(before().send("counted-1", harness.Request{}, boughtAs(1)).send("counted-2", keyK, created), 6, 4, 2, ""), harness.Inconclusive},
		judged{"one kind", read(before().send("counted-2", marked, boughtAs(2)), 6, 3, 2, ""), harness.Inconclusive},
		judged{"a request of somebody else", read(both().send("other", keyK, created), 7, 4, 2, ""), harness.Inconclusive},
		judged{"nothing before the first reading", read(read(newStory(), 0, 0, 2, "").send("counted-1", harness.Request{}, boughtAs(1)).send("counted-2", marked, boughtAs(2)), 1, 1, 2, ""), harness.Inconclusive},
		judged{"no such counters", func() *story {
			s := both()
			s.events = append([]harness.Event(nil), s.events...)
			return s.add(harness.Event{Type: harness.MarkEvent, Mark: &harness.Mark{Name: harness.MarkMetrics, Count: map[string]int64{"lines": 9}}})
		}(), harness.Inconclusive},
	)
}
