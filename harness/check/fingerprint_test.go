package check

import (
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

func TestFingerprintCovers(t *testing.T) {
	began := func() *story { return newStory().send("currency", keyK, created) }
	queried := keyK
	queried.Path = "/checkout?x=1"
	judgeAll(t, FingerprintCovers(All()),
		judged{"refused as another request", began().send("currency", keyKOther, conflict), harness.Pass},
		judged{"another query", began().send("currency", queried, created), harness.Fail},
		judged{"replayed", began().send("currency", keyKOther, created), harness.Fail},
		judged{"refused as wrong in itself", began().send("currency", keyKOther, invalid), harness.Inconclusive},
		judged{"not altered", began().send("currency", keyK, created), harness.Inconclusive},
		judged{"one of two cases was not altered", began().send("currency", keyKOther, conflict).send("amount", keyK, created), harness.Inconclusive},
		judged{"the first was refused", newStory().send("currency", keyK, invalid).send("currency", keyKOther, invalid), harness.Inconclusive},
	)
}

func TestEqualMeaningReplayed(t *testing.T) {
	began := func() *story { return newStory().send("reversed", keyK, created) }
	bytes := began().send("reversed", keyKOther, conflict)
	bytes.header.Dialect.Fingerprint = "bytes"
	judgeAll(t, EqualMeaningReplayed(All()),
		judged{"a replay", began().send("reversed", keyKOther, created), harness.Pass},
		judged{"a conflict", began().send("reversed", keyKOther, conflict), harness.Fail},
		judged{"another order", began().send("reversed", keyKOther, harness.Answer{Status: 201, OrderID: "o2"}), harness.Fail},
		judged{"a refusal", began().send("reversed", keyKOther, invalid), harness.Fail},
		judged{"one spelling only", began().send("reversed", keyK, created), harness.Inconclusive},
		judged{"a dialect of bytes", bytes, harness.NotApplicable},
	)
	judgeAll(t, EqualNumbersReplayed(All()),
		judged{"a replay", began().send("reversed", keyKOther, created), harness.Pass},
		judged{"a conflict", began().send("reversed", keyKOther, conflict), harness.Fail},
		judged{"an API that takes no 1.0", began().send("reversed", keyKOther, invalid), harness.NotApplicable},
		judged{"nor at first", newStory().send("reversed", keyKOther, invalid).send("reversed", keyK, created), harness.NotApplicable},
	)
}

func TestVolatileHeadersIgnored(t *testing.T) {
	delivered := func(correlation string, headers ...string) harness.Request {
		return harness.Request{Keys: []string{"k"}, BodySHA256: "b1", CorrelationID: correlation, Headers: headers}
	}
	varied := func(last harness.Answer) *story {
		s := newStory().send("a", delivered("c1"), created)
		for _, name := range volatile() {
			s.send("a", delivered("c1", name), created)
		}
		return s.send("a", delivered("c2"), last)
	}
	judgeAll(t, VolatileHeadersIgnored(All()),
		judged{"replayed each time", varied(created), harness.Pass},
		judged{"a conflict by the correlation id", varied(conflict), harness.Fail},
		judged{"the correlation id was always the same", newStory().send("a", delivered("c1"), created).send("a", delivered("c1", volatile()...), created), harness.Inconclusive},
		judged{"nothing varied", newStory().send("a", delivered("c1"), created).send("a", delivered("c1"), created), harness.Inconclusive},
	)
}

func TestNullIsNotAbsent(t *testing.T) {
	began := func() *story { return newStory().send("absent", keyK, created) }
	judgeAll(t, NullIsNotAbsent(All()),
		judged{"null is another request", began().send("absent", keyKOther, conflict), harness.Pass},
		judged{"null is refused", began().send("absent", keyKOther, invalid), harness.Pass},
		judged{"null is a replay", began().send("absent", keyKOther, created), harness.Fail},
		judged{"null was refused at first", began().send("absent", keyKOther, invalid).send("null", keyKOther, invalid).send("null", keyK, created), harness.Pass},
		judged{"null was accepted at first, and absent is its replay", began().send("absent", keyKOther, conflict).send("null", keyKOther, created).send("null", keyK, created), harness.Fail},
		judged{"absent only", began(), harness.Inconclusive},
		judged{"nothing was accepted", newStory().send("null", keyKOther, invalid).send("null", keyK, invalid), harness.Inconclusive},
	)
}

func TestIntactAfterMismatch(t *testing.T) {
	began := func() *story { return newStory().send("a", keyK, created).send("a", keyKOther, conflict) }
	judgeAll(t, IntactAfterMismatch(All()),
		judged{"the original as before", began().send("a", keyK, created), harness.Pass},
		judged{"the original is a conflict now", began().send("a", keyK, conflict), harness.Fail},
		judged{"another order", began().send("a", keyK, harness.Answer{Status: 201, OrderID: "o2"}), harness.Fail},
		judged{"not repeated", began(), harness.Inconclusive},
		judged{"no conflict", newStory().send("a", keyK, created).send("a", keyK, created), harness.Inconclusive},
	)
}

func TestMismatchRevealsNothing(t *testing.T) {
	first := harness.Request{Keys: []string{"k"}, BodySHA256: "b1", Reference: "cart-original", Amount: 4711000, CorrelationID: "corr-original", Body: `{"cart":"cart-original"}`}
	other := harness.Request{Keys: []string{"k"}, BodySHA256: "b2", Reference: "cart-original", CorrelationID: "corr-other", Body: `{"cart":"cart-other"}`}
	brought := harness.Answer{Status: 201, OrderID: "order-0815", RequestID: "request-0815", Body: `{"order":"order-0815","request":"request-0815"}`}
	refused := func(body string) *story {
		a := conflict
		a.Body = body
		return newStory().send("a", first, brought).send("a", other, a)
	}
	judgeAll(t, MismatchRevealsNothing(All()),
		judged{"nothing", refused(`{"code":"IDEMPOTENCY_CONFLICT"}`), harness.Pass},
		judged{"the order", refused(`used for order-0815`), harness.Fail},
		judged{"the cart", refused(`used for cart-original`), harness.Fail},
		judged{"the amount", refused(`used for 4711000`), harness.Fail},
		judged{"the correlation id", refused(`first seen as corr-original`), harness.Fail},
		judged{"the refused request's own words", refused(`cart-other is another cart, corr-other`), harness.Pass},
		judged{"in a header", newStory().send("a", first, brought).send("a", other, harness.Answer{Status: 409, Code: "IDEMPOTENCY_CONFLICT", Header: map[string][]string{"Location": {"/checkout/request-0815"}}}), harness.Fail},
		judged{"the original's own answer", newStory().send("a", first, brought).send("a", other, brought), harness.Fail},
		judged{"another order", newStory().send("a", first, brought).send("a", other, harness.Answer{Status: 201, OrderID: "order-0816", Body: `{"order":"order-0816"}`}), harness.Inconclusive},
		judged{"nobody refused anything", newStory().send("a", first, brought), harness.Inconclusive},
		judged{"an original that names nothing", newStory().send("a", first, harness.Answer{Status: 201}).send("a", other, conflict), harness.Inconclusive},
	)
}

func TestCreatedResult(t *testing.T) {
	n := 3
	whole := harness.Answer{Status: 201, JSON: true, RequestID: "r1", OrderID: "o1", State: "SUCCEEDED", AttemptCount: &n, CorrelationID: "c1"}
	without := whole
	without.State = ""
	judgeAll(t, CreatedResult(All()),
		judged{"the whole result", newStory().send("a", keyK, whole), harness.Pass},
		judged{"an empty 201", newStory().send("a", keyK, harness.Answer{Status: 201}), harness.Fail},
		judged{"no state", newStory().send("a", keyK, without), harness.Fail},
		judged{"refused", newStory().send("a", keyK, invalid), harness.Inconclusive},
	)
}

func TestInProgressGuides(t *testing.T) {
	yes, no := true, false
	told := func(after string, retryable *bool) *story {
		a := busy
		a.RetryAfter, a.Retryable = after, retryable
		s := newStory().send("a", keyK, a)
		s.header.Dialect.InProgress.RetryAfter = true
		return s
	}
	silent := told("", nil)
	silent.header.Dialect.InProgress.RetryAfter = false
	unasked := newStory().send("a", keyK, created)
	unasked.header.Dialect.InProgress.RetryAfter = true
	judge := InProgressGuides(All())
	for name, row := range map[string]struct {
		story *story
		want  harness.Outcome
	}{
		"when": {told("1", nil), harness.Pass}, "that": {told("", &yes), harness.Pass}, "at once": {told("0", &no), harness.Fail},
		"neither": {told("", nil), harness.Fail}, "not promised": {silent, harness.NotApplicable}, "nobody was told": {unasked, harness.Inconclusive},
	} {
		if v := judge(row.story.history()); v.Outcome != row.want {
			t.Errorf("%s: %s (%s), want %s", name, v.Outcome, v.Reason, row.want)
		}
	}
}

func TestWhileHeld(t *testing.T) {
	held := func(other harness.Answer) *story {
		s := newStory()
		op := s.invoke("a", keyK)
		return s.mark("a", MarkHeld).send("a", keyKOther, other).mark("a", MarkReleased).answer(op, created)
	}
	judgeAll(t, WhileHeld(All(), MismatchRefused(All())),
		judged{"a conflict meanwhile", held(conflict), harness.Pass},
		judged{"in progress, whoever asks", held(busy), harness.Fail},
		judged{"executed", held(harness.Answer{Status: 201, OrderID: "o2"}), harness.Fail},
		judged{"only afterwards", newStory().send("a", keyK, created).mark("a", MarkHeld).mark("a", MarkReleased).send("a", keyKOther, conflict), harness.Inconclusive},
	)
}
