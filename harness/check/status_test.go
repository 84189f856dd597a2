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
	judgeAll(t, UnknownIsNotFound(All()),
		judged{"not found", newStory().send("a", statusRead, notFound), harness.Pass},
		judged{"500", newStory().send("a", statusRead, harness.Answer{Status: 500}), harness.Fail},
		judged{"found", newStory().send("a", statusRead, harness.Answer{Status: 200}), harness.Fail},
		judged{"no answer", func() *story { s := newStory(); return s.lose(s.invoke("a", statusRead)) }(), harness.Inconclusive},
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
		return newStory().send("random", random, unknown).send("foreign", statusRead, foreign)
	}
	judgeAll(t, OwnershipHidden("foreign", "random", 1),
		judged{"alike", pair(notFound, notFound), harness.Pass},
		judged{"alike but for the id asked for", pair(with(func(a *harness.Answer) { a.Body = "no r1" }), with(func(a *harness.Answer) { a.Body = "no zz" })), harness.Pass},
		judged{"alike but for the date", pair(with(func(a *harness.Answer) { a.Header["Date"] = []string{"today"} }), notFound), harness.Pass},
		judged{"403 for the foreign one", pair(harness.Answer{Status: 403}, notFound), harness.Fail},
		judged{"another text", pair(with(func(a *harness.Answer) { a.Body = "not yours" }), notFound), harness.Fail},
		judged{"another header", pair(with(func(a *harness.Answer) { a.Header["X-Shard"] = []string{"7"} }), notFound), harness.Fail},
		judged{"only random ids", newStory().send("random", random, notFound), harness.Inconclusive},
	)
}
