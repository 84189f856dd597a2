package check

import (
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

// cancelling is a cancellation of one checkout under one key.
func cancelling(who, path string) harness.Request {
	return harness.Request{Operation: "cancel", Principal: who, Path: path, Keys: []string{"c"}, BodySHA256: "none"}
}

func cancelledAs(id string) harness.Answer {
	return harness.Answer{Status: 201, RequestID: id, OrderID: "order of " + id}
}

func TestKeptOut(t *testing.T) {
	works := func() *story {
		return newStory().send("own-cancel", cancelling("alice", "/a/cancel"), cancelledAs("c1"))
	}
	tried := func(status int) *story {
		return works().send("foreign-cancel", keyK, created).send("foreign-cancel", cancelling("carol", "/b/cancel"), harness.Answer{Status: status})
	}
	judgeAll(t, KeptOut(Labelled("foreign-"), Labelled("own-")),
		judged{"not found", tried(404), harness.Pass},
		judged{"forbidden", tried(403), harness.Pass},
		judged{"another refusal", tried(400), harness.Pass},
		judged{"cancelled", tried(201), harness.Fail},
		judged{"about to be cancelled", tried(202), harness.Fail},
		judged{"a server that fails", tried(500), harness.Inconclusive},
		judged{"too many requests", tried(429), harness.Inconclusive},
		judged{"elsewhere", tried(302), harness.Inconclusive},
		judged{"no answer", func() *story {
			s := works()
			return s.lose(s.invoke("foreign-cancel", cancelling("carol", "/b/cancel")))
		}(), harness.Inconclusive},
		judged{"refused to its buyer, too", newStory().send("own-cancel", cancelling("alice", "/a/cancel"), notFound).send("foreign-cancel", cancelling("carol", "/b/cancel"), notFound), harness.Inconclusive},
		judged{"nobody tried", works().send("foreign-cancel", keyK, created), harness.Inconclusive},
	)
}

func TestUnhindered(t *testing.T) {
	first := func() *story {
		return newStory().send("of-alice", keyK, created).send("of-alice", cancelling("alice", "/a/cancel"), cancelledAs("c1"))
	}
	then := func(a harness.Answer) *story { return first().send("of-bob", cancelling("bob", "/b/cancel"), a) }
	judgeAll(t, Unhindered(All()),
		judged{"both succeed", then(cancelledAs("c2")), harness.Pass},
		judged{"both succeed, and name nothing", newStory().send("a", cancelling("alice", "/a/cancel"), harness.Answer{Status: 204}).send("b", cancelling("bob", "/b/cancel"), harness.Answer{Status: 204}), harness.Pass},
		judged{"a conflict", then(conflict), harness.Fail},
		judged{"the answer of the other", then(cancelledAs("c1")), harness.Fail},
		judged{"told to wait", then(busy), harness.Inconclusive},
		judged{"the first is refused", newStory().send("a", cancelling("alice", "/a/cancel"), invalid).send("b", cancelling("bob", "/b/cancel"), cancelledAs("c2")), harness.Inconclusive},
		judged{"one customer", first(), harness.Inconclusive},
		judged{"no answer", func() *story { s := first(); return s.lose(s.invoke("of-bob", cancelling("bob", "/b/cancel"))) }(), harness.Inconclusive},
	)
}

func TestOtherRequestRefused(t *testing.T) {
	first := func() *story {
		return newStory().send("first", keyK, created).send("first", cancelling("alice", "/a/cancel"), cancelledAs("c1"))
	}
	other := func(a harness.Answer) *story { return first().send("second", cancelling("alice", "/b/cancel"), a) }
	changedBody := cancelling("alice", "/a/cancel")
	changedBody.BodySHA256 = "other"
	replaying := other(cancelledAs("c1"))
	replaying.header.Dialect.Mismatch.Mode = "replay"
	judgeAll(t, OtherRequestRefused(All()),
		judged{"a conflict", other(conflict), harness.Pass},
		judged{"carried out for the other checkout", other(cancelledAs("c2")), harness.Pass},
		judged{"the answer of the first checkout", other(cancelledAs("c1")), harness.Fail},
		judged{"another refusal", other(invalid), harness.Fail},
		judged{"told to wait", other(busy), harness.Inconclusive},
		judged{"another body refused", first().send("first", changedBody, conflict), harness.Pass},
		judged{"another body replayed", first().send("first", changedBody, cancelledAs("c1")), harness.Fail},
		judged{"another body carried out", first().send("first", changedBody, cancelledAs("c2")), harness.Fail},
		judged{"a repeat", first().send("first", cancelling("alice", "/a/cancel"), cancelledAs("c1")), harness.NotApplicable},
		judged{"another customer's", first().send("second", cancelling("bob", "/b/cancel"), cancelledAs("c1")), harness.NotApplicable},
		judged{"the first is refused", newStory().send("first", cancelling("alice", "/a/cancel"), invalid).send("second", cancelling("alice", "/b/cancel"), conflict), harness.Inconclusive},
		judged{"no answer", func() *story { s := first(); return s.lose(s.invoke("second", cancelling("alice", "/b/cancel"))) }(), harness.Inconclusive},
		judged{"a dialect that replays", replaying, harness.NotApplicable},
	)
}
