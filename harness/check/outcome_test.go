package check

import (
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

func TestSameOutcomeReplayed(t *testing.T) {
	judgeAll(t, BeganAs(All(), harness.ClassDeclined, SameOutcomeReplayed(All(), 2)),
		judged{"declined for ever", newStory().send("a", keyK, declined).send("a", keyK, declined).send("a", keyK, declined), harness.Pass},
		judged{"accepted later", newStory().send("a", keyK, declined).send("a", keyK, created).send("a", keyK, created), harness.Fail},
		judged{"repeated too seldom", newStory().send("a", keyK, declined).send("a", keyK, declined), harness.Inconclusive},
		judged{"accepted from the start", newStory().send("a", keyK, created).send("a", keyK, created).send("a", keyK, created), harness.Inconclusive},
	)
	judgeAll(t, SameOutcomeReplayed(All(), 1),
		judged{"the same order", newStory().send("a", keyK, created).send("a", keyK, created), harness.Pass},
		judged{"declined later", newStory().send("a", keyK, created).send("a", keyK, declined), harness.Fail},
	)
}

func TestPaymentCalledOnce(t *testing.T) {
	began := func() *story { return newStory().send("a", keyK, declined) }
	unused := began().charge("a", "p", "", 402)
	unused.header.UnusedLinks = []string{"payment"}
	judgeAll(t, PaymentCalledOnce(All()),
		judged{"once", began().charge("a", "p", "", 402), harness.Pass},
		judged{"twice", began().charge("a", "p", "", 402).charge("a", "p", "", 201), harness.Fail},
		judged{"never seen", began(), harness.Inconclusive},
		judged{"once, and a call of nobody", began().charge("a", "p", "", 402).stray(), harness.Inconclusive},
		judged{"once, and a link that nobody was seen to use", unused, harness.Inconclusive},
	)
}

func TestOriginalAfterReversal(t *testing.T) {
	undo := harness.Request{Operation: "cancel", Keys: []string{"c"}, BodySHA256: "b3"}
	done := harness.Answer{Status: 201, RequestID: "r2"}
	undone := func() *story { return newStory().send("a", keyK, created).send("a", undo, done) }
	judgeAll(t, OriginalAfterReversal(All(), 1),
		judged{"as at first", undone().send("a", keyK, created), harness.Pass},
		judged{"as it is now", undone().send("a", keyK, harness.Answer{Status: 201, OrderID: "o1", BodySHA256: "cancelled"}), harness.Fail},
		judged{"not repeated", undone(), harness.Inconclusive},
		judged{"not undone", newStory().send("a", keyK, created).send("a", undo, invalid).send("a", keyK, created), harness.Inconclusive},
	)
}

func TestHeadersReplayed(t *testing.T) {
	with := func(header map[string][]string) harness.Answer {
		a := created
		a.Header = header
		return a
	}
	first := with(map[string][]string{"Location": {"/checkout/r1"}, "Date": {"one"}, "Set-Cookie": {"s=1"}})
	later := func(header map[string][]string, after int64) *story {
		s := newStory().send("a", keyK, first)
		op := s.invoke("a", keyK)
		for i := range s.events {
			if s.events[i].Op == op {
				s.events[i].At = datesApart * 2
			}
		}
		if after == 0 {
			s.events[len(s.events)-1].At = 0
		}
		return s.answer(op, with(header))
	}
	// spaced is a first answer and two replays, with a header that nobody knows.
	spaced := func(second, third string) *story {
		own := func(value, date string) harness.Answer {
			header := map[string][]string{"Location": {"/checkout/r1"}, "Date": {date}}
			if value != "" {
				header["X-Process-Time"] = []string{value}
			}
			return with(header)
		}
		s := newStory().send("a", keyK, own("one", "one")).send("a", keyK, own(second, "two")).send("a", keyK, own(third, "two"))
		for i := range s.events[2:] {
			s.events[2+i].At = datesApart * 2
		}
		return s
	}
	judgeAll(t, HeadersReplayed(All()),
		judged{"location kept, a date of its own", later(map[string][]string{"Location": {"/checkout/r1"}, "Date": {"two"}}, 1), harness.Pass},
		judged{"location lost", later(map[string][]string{"Date": {"two"}}, 1), harness.Fail},
		judged{"the first date again", later(map[string][]string{"Location": {"/checkout/r1"}, "Date": {"one"}}, 1), harness.Fail},
		judged{"the first cookie again", later(map[string][]string{"Location": {"/checkout/r1"}, "Date": {"two"}, "Set-Cookie": {"s=1"}}, 1), harness.Fail},
		judged{"a trace of its own is right", later(map[string][]string{"Location": {"/checkout/r1"}, "Date": {"two"}, "X-Request-Id": {"7"}}, 1), harness.Pass},
		judged{"a header that is new with each replay", spaced("two", "three"), harness.Pass},
		judged{"one that is new with the replays and then stays", spaced("two", "two"), harness.Fail},
		judged{"one that comes and goes", spaced("two", ""), harness.Fail},
		judged{"a location that is new with each replay", func() *story {
			s := later(map[string][]string{"Location": {"/checkout/r2"}, "Date": {"two"}}, 1)
			return s.send("a", keyK, with(map[string][]string{"Location": {"/checkout/r3"}, "Date": {"two"}}))
		}(), harness.Fail},
		judged{"too early to tell by the date", later(map[string][]string{"Location": {"/checkout/r1"}, "Date": {"one"}}, 0), harness.Inconclusive},
		judged{"not replayed", newStory().send("a", keyK, first), harness.Inconclusive},
	)
}

func TestLargeReplayed(t *testing.T) {
	large := harness.Answer{Status: 201, OrderID: "o1", BodySHA256: "large", BodyBytes: LargeAnswer}
	judgeAll(t, LargeReplayed(All(), 1),
		judged{"the same bytes", newStory().send("a", keyK, large).send("a", keyK, large), harness.Pass},
		judged{"a refusal that remembers", newStory().send("a", keyK, large).send("a", keyK, invalid), harness.Pass},
		judged{"the same order in few words", newStory().send("a", keyK, large).send("a", keyK, created), harness.Pass},
		judged{"another order", newStory().send("a", keyK, large).send("a", keyK, harness.Answer{Status: 201, OrderID: "o2", BodyBytes: LargeAnswer}), harness.Fail},
		judged{"cut off", newStory().send("a", keyK, large).send("a", keyK, harness.Answer{Status: 500}), harness.Fail},
		judged{"a small answer", newStory().send("a", keyK, created).send("a", keyK, created), harness.Inconclusive},
		judged{"not repeated", newStory().send("a", keyK, large), harness.Inconclusive},
	)
}

func TestOneOfEach(t *testing.T) {
	authorized := func() *story {
		s := newStory().send("a", keyK, created).effect("a", "order").effect("a", "authorization").effect("a", "capture")
		s.header.PerSuccess = map[string]int{"order": 1, "authorization": 1, "capture": 1}
		return s
	}
	twice := newStory().send("a", keyK, created).success("a").effect("a", "charge")
	twice.header.PerSuccess = map[string]int{"order": 1, "charge": 2, "reservation": 1}
	judgeAll(t, OneOfEach(All()),
		judged{"one of each", newStory().send("a", keyK, created).success("a"), harness.Pass},
		judged{"an authorization and its capture", authorized(), harness.Pass},
		judged{"captured twice", authorized().effect("a", "capture"), harness.Fail},
		judged{"charged twice, as the profile says", twice, harness.Fail},
		judged{"voided and charged again", newStory().send("a", keyK, created).success("a").effect("a", "charge").effect("a", "void"), harness.Fail},
		judged{"two keys", newStory().send("a", keyK, created).send("a", harness.Request{Keys: []string{"l"}}, created).success("a").success("a"), harness.Inconclusive},
	)
}
