package check

import (
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

var (
	unauthorised = harness.Answer{Status: 401, Code: "UNAUTHENTICATED", Body: `{"code":"UNAUTHENTICATED"}`, BodySHA256: "401"}
	nobody       = harness.Request{Principal: harness.NoPrincipal, Keys: []string{"k"}, BodySHA256: "b1"}
	nobodyUnused = harness.Request{Principal: harness.NoPrincipal, Keys: []string{"unused"}, BodySHA256: "b1"}
	forger       = harness.Request{Principal: harness.RefusedPrincipal(harness.CredentialForeign), Keys: []string{"k"}, BodySHA256: "b1"}
)

func TestUnauthenticated(t *testing.T) {
	reader := harness.Request{Operation: harness.OpStatus, Principal: harness.NoPrincipal, Path: "/checkout/r1"}
	found := harness.Answer{Status: 200, RequestID: "r1"}
	judgeAll(t, Unauthenticated(All(), harness.OpCheckout, harness.OpStatus),
		judged{"refused at both", newStory().send("a", nobody, unauthorised).send("a", forger, unauthorised).send("a", keyK, created).
			send("a", reader, unauthorised).send("a", statusRead, found), harness.Pass},
		judged{"anybody buys", newStory().send("a", nobody, created).send("a", keyK, created), harness.Fail},
		judged{"anybody reads", newStory().send("a", nobody, unauthorised).send("a", keyK, created).send("a", reader, found), harness.Fail},
		judged{"not found is not unauthenticated", newStory().send("a", reader, notFound), harness.Fail},
		judged{"one operation", newStory().send("a", nobody, unauthorised).send("a", keyK, created), harness.Inconclusive},
		judged{"nobody may", newStory().send("a", nobody, unauthorised).send("a", keyK, unauthorised).send("a", reader, unauthorised).send("a", statusRead, unauthorised), harness.Inconclusive},
		judged{"refused, but a provider was called", func() *story {
			s := newStory()
			op := s.invoke("a", nobody)
			return s.charge("a", "p", "", 201).answer(op, unauthorised)
		}(), harness.Fail},
	)
}

func TestNothingToldToStrangers(t *testing.T) {
	stored := harness.Answer{Status: 201, OrderID: "o1", RequestID: "r1", Body: `{"orderId":"o1"}`, BodySHA256: "stored"}
	leaky := unauthorised
	leaky.Body, leaky.BodySHA256 = `{"code":"UNAUTHENTICATED","orderId":"o1"}`, "leaky"
	other := unauthorised
	other.Body, other.BodySHA256 = `{"code":"UNAUTHENTICATED","hint":"this key is known"}`, "other"
	told := func(a harness.Answer) *story {
		return newStory().send("a", keyK, stored).send("a", nobody, a).send("a", nobodyUnused, unauthorised).send("a", keyK, stored)
	}
	judgeAll(t, NothingToldToStrangers(All()),
		judged{"nothing told", told(unauthorised), harness.Pass},
		judged{"the stored answer", told(stored), harness.Fail},
		judged{"its order", told(leaky), harness.Fail},
		judged{"that there is one", told(other), harness.Fail},
		judged{"a conflict", told(conflict), harness.Fail},
		judged{"the owner is refused, too", newStory().send("a", keyK, stored).send("a", nobody, unauthorised).send("a", nobodyUnused, unauthorised).send("a", keyK, unauthorised), harness.Fail},
		judged{"nothing was stored", newStory().send("a", keyK, invalid).send("a", nobody, unauthorised).send("a", nobodyUnused, unauthorised).send("a", keyK, invalid), harness.Inconclusive},
		judged{"no unused key", newStory().send("a", keyK, stored).send("a", nobody, unauthorised).send("a", keyK, stored), harness.Inconclusive},
	)
}
