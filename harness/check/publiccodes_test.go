package check

import (
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

func TestPublicCodes(t *testing.T) {
	judgeAll(t, PublicCodes(All()),
		judged{"public ones", newStory().send("a", keyK, declined).send("a", keyKOther, conflict).send("b", statusRead, notFound), harness.Pass},
		judged{"one of its own", newStory().send("a", keyK, harness.Answer{Status: 402, Code: "card_declined"}), harness.Fail},
		judged{"none", newStory().send("a", statusRead, harness.Answer{Status: 404, Body: "<html>"}), harness.Fail},
		judged{"no error", newStory().send("a", keyK, created), harness.Inconclusive},
	)
}

func TestAllCodesSeen(t *testing.T) {
	judgeAll(t, AllCodesSeen(All(), "PAYMENT_DECLINED", "CHECKOUT_PENDING"),
		judged{"both", newStory().send("a", keyK, declined).send("b", keyK, harness.Answer{Status: 202, Code: "CHECKOUT_PENDING"}), harness.Pass},
		judged{"one", newStory().send("a", keyK, declined), harness.Inconclusive},
	)
}

func TestSafeCodes(t *testing.T) {
	said := func() *story {
		return newStory().charge("a", "p1", "payment/charge#1:status(402)", 402).send("a", keyK, declined)
	}
	with := func(code, body string) harness.Answer {
		return harness.Answer{Status: 200, RequestID: "r1", Code: code, Body: body}
	}
	judgeAll(t, SafeCodes(All(), "INJECTED"),
		judged{"a public one", said().send("a", statusRead, with("PAYMENT_DECLINED", "{}")), harness.Pass},
		judged{"the provider's", said().send("a", statusRead, with("INJECTED", "{}")), harness.Fail},
		judged{"the provider's in another member", said().send("a", statusRead, with("PAYMENT_DECLINED", `{"reason":"INJECTED"}`)), harness.Fail},
		judged{"no code at all", said().send("a", statusRead, with("", "{}")), harness.Inconclusive},
		judged{"no dependency said anything", newStory().send("a", keyK, declined).send("a", statusRead, with("PAYMENT_DECLINED", "{}")), harness.Inconclusive},
	)
}

func TestOwnErrors(t *testing.T) {
	s := newStory().send("a", keyK, harness.Answer{Status: 402, Code: "card_declined"})
	s.header.Dialect.ErrorFormat = "problem"
	if v := Unless(OwnErrors, PublicCodes(All()))(s.history()); v.Outcome != harness.NotApplicable {
		t.Errorf("a dialect with errors of its own: %+v", v)
	}
}

func TestCodeOf(t *testing.T) {
	judgeAll(t, CodeOf(Labelled("refused-"), "VALIDATION_ERROR", 400, 422),
		judged{"as it has to be", newStory().send("refused-key", keyK, invalid), harness.Pass},
		judged{"another code", newStory().send("refused-key", keyK, harness.Answer{Status: 400, Code: "SERVICE_UNAVAILABLE"}), harness.Fail},
		judged{"another status", newStory().send("refused-key", keyK, harness.Answer{Status: 500, Code: "VALIDATION_ERROR"}), harness.Fail},
		judged{"in another situation", newStory().send("pending", keyK, invalid), harness.Inconclusive},
		judged{"no answer", func() *story { s := newStory(); return s.lose(s.invoke("refused-key", keyK)) }(), harness.Inconclusive},
	)
}
