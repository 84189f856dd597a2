package check

import (
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

func TestOwnerReads(t *testing.T) {
	made := func() *story { return newStory().send("a", keyK, created) }
	judgeAll(t, OwnerReads(All()),
		judged{"reads", made().send("a", statusRead, harness.Answer{Status: 200, RequestID: "r1"}), harness.Pass},
		judged{"forbidden", made().send("a", statusRead, harness.Answer{Status: 403}), harness.Fail},
		judged{"another request", made().send("a", statusRead, harness.Answer{Status: 200, RequestID: "r2"}), harness.Fail},
		judged{"nobody read", made(), harness.Inconclusive},
	)
}

func TestUnknownIsNotFound(t *testing.T) {
	known := harness.Request{Operation: harness.OpStatus, Path: "/checkout/r7"}
	judgeAll(t, UnknownIsNotFound(Labelled("unknown")),
		judged{"not found", newStory().send("known", known, harness.Answer{Status: 200}).send("unknown", statusRead, notFound), harness.Pass},
		judged{"a route that finds nothing", newStory().send("known", known, notFound).send("unknown", statusRead, notFound), harness.Inconclusive},
		judged{"500", newStory().send("unknown", statusRead, harness.Answer{Status: 500}), harness.Fail},
		judged{"found", newStory().send("unknown", statusRead, harness.Answer{Status: 200}), harness.Fail},
		judged{"no answer", func() *story { s := newStory(); return s.lose(s.invoke("unknown", statusRead)) }(), harness.Inconclusive},
	)
}

func TestOwnershipHidden(t *testing.T) {
	random := harness.Request{Operation: harness.OpStatus, Path: "/checkout/zz"}
	with := func(change func(*harness.Answer)) harness.Answer {
		a := notFound
		a.Header = map[string][]string{"Content-Type": {"application/json"}}
		change(&a)
		return a
	}
	pair := func(foreign, unknown harness.Answer) *story {
		return newStory().send("owned", statusRead, harness.Answer{Status: 200}).send("random", random, unknown).send("foreign", statusRead, foreign)
	}
	judgeAll(t, OwnershipHidden("foreign", "random", 1),
		judged{"alike", pair(notFound, notFound), harness.Pass},
		judged{"alike but for the id asked for", pair(with(func(a *harness.Answer) { a.Body = "no r1" }), with(func(a *harness.Answer) { a.Body = "no zz" })), harness.Pass},
		judged{"alike but for the date", pair(with(func(a *harness.Answer) { a.Header["Date"] = []string{"today"} }), notFound), harness.Pass},
		judged{"an id inside another word is no id", pair(with(func(a *harness.Answer) { a.Body = "r1x" }), notFound), harness.Fail},
		judged{"another length of the same text", pair(with(func(a *harness.Answer) { a.Header["Content-Length"] = []string{"80"} }), notFound), harness.Pass},
		judged{"a route that finds nothing", newStory().send("random", random, notFound).send("foreign", statusRead, notFound), harness.Inconclusive},
		judged{"403 for the foreign one", pair(harness.Answer{Status: 403}, notFound), harness.Fail},
		judged{"another text", pair(with(func(a *harness.Answer) { a.Body = "not yours" }), notFound), harness.Fail},
		judged{"another header", pair(with(func(a *harness.Answer) { a.Header["X-Shard"] = []string{"7"} }), notFound), harness.Fail},
		judged{"only random ids", newStory().send("random", random, notFound), harness.Inconclusive},
	)
}
