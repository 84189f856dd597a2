package check

import (
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

// readBy is a status read of r1 by a principal.
func readBy(principal string) harness.Request {
	r := statusRead
	r.Principal = principal
	return r
}

// described is what the owner of r1 is told.
func described() harness.Answer {
	return harness.Answer{Status: 200, RequestID: "r1", OrderID: "order-1", State: "SUCCEEDED", UpdatedAt: "2026-01-02T03:04:05Z", AttemptCount: count(3)}
}

func count(n int) *int { return &n }

func TestReadsLikeOwner(t *testing.T) {
	owned := func() *story { return newStory().send("of-a", keyK, created).send("of-a", statusRead, described()) }
	other := described()
	other.State = "PENDING"
	judgeAll(t, ReadsLikeOwner(Labelled("of-")),
		judged{"is told the same", owned().send("of-a", readBy("support"), described()), harness.Pass},
		judged{"is refused", owned().send("of-a", readBy("support"), harness.Answer{Status: 403}), harness.Fail},
		judged{"is told something else", owned().send("of-a", readBy("support"), other), harness.Fail},
		judged{"the owner is refused", newStory().send("of-a", statusRead, harness.Answer{Status: 403}).send("of-a", readBy("support"), described()), harness.Inconclusive},
		judged{"only the owner reads", owned().send("of-a", statusRead, described()), harness.Inconclusive},
		judged{"no answer", func() *story { s := owned(); return s.lose(s.invoke("of-a", readBy("support"))) }(), harness.Inconclusive},
	)
}

func TestOthersRefused(t *testing.T) {
	owned := func() *story { return newStory().send("of-a", keyK, created).send("of-a", statusRead, described()) }
	forbidden := func(body string) harness.Answer { return harness.Answer{Status: 403, Body: body} }
	judgeAll(t, OthersRefused(Labelled("of-")),
		judged{"403", owned().send("of-a", readBy("bob"), forbidden("not yours")), harness.Pass},
		judged{"200", owned().send("of-a", readBy("bob"), described()), harness.Fail},
		judged{"404 where the dialect says 403", owned().send("of-a", readBy("bob"), notFound), harness.Fail},
		judged{"403 that tells the order", owned().send("of-a", readBy("bob"), forbidden("order-1 is not yours")), harness.Fail},
		judged{"403 that tells the state", owned().send("of-a", readBy("bob"), forbidden("it has SUCCEEDED")), harness.Fail},
		judged{"the owner reads nothing either", newStory().send("of-a", statusRead, notFound).send("of-a", readBy("bob"), forbidden("")), harness.Inconclusive},
		judged{"nobody else reads", owned(), harness.Inconclusive},
	)
	hidden := newStory()
	hidden.header.Dialect.StatusNonOwner = 404
	hidden.send("of-a", statusRead, described()).send("of-a", readBy("bob"), notFound)
	if v := OthersRefused(All())(hidden.history()); v.Outcome != harness.Pass {
		t.Errorf("404 where the dialect says 404: %+v", v)
	}
	if v := Literally(NonOwnerSpelling, OthersRefused(All()))(hidden.history()); v.Outcome != harness.NotApplicable {
		t.Errorf("404 where the clause says 403: %+v", v)
	}
}

func TestAnonymousRefused(t *testing.T) {
	unknown := harness.Request{Operation: harness.OpStatus, Path: "/checkout/zz"}
	refused := harness.Answer{Status: 401, Code: "UNAUTHENTICATED", Body: `{"code":"UNAUTHENTICATED"}`}
	told := func(body string) harness.Answer { a := refused; a.Body = body; return a }
	read := func() *story { return newStory().send("owned", statusRead, described()) }
	kind := func(s *story, label string, existing, random harness.Answer) *story {
		return s.send(label, statusRead, existing).send(label, unknown, random)
	}
	judgeAll(t, AnonymousRefused("caller-", "none", "expired"),
		judged{"all are refused", kind(kind(read(), "caller-none", refused, refused), "caller-expired", refused, refused), harness.Pass},
		judged{"a kind was not tried", kind(read(), "caller-none", refused, refused), harness.NotVerified},
		judged{"404 for a random id", kind(read(), "caller-none", refused, notFound), harness.Fail},
		judged{"an expired token is let in", kind(kind(read(), "caller-none", refused, refused), "caller-expired", described(), refused), harness.Fail},
		judged{"the answer tells which id exists", kind(read(), "caller-none", told("log in to see r1!"), told("log in")), harness.Fail},
		judged{"one id only", read().send("caller-none", statusRead, refused), harness.Inconclusive},
		judged{"a route that lets nobody in", kind(kind(newStory(), "caller-none", refused, refused), "caller-expired", refused, refused), harness.Inconclusive},
		judged{"no answer", func() *story { s := read(); return s.lose(s.invoke("caller-none", statusRead)) }(), harness.Inconclusive},
	)
}
