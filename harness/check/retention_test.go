package check

import (
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// day is a story of a target that keeps requests for 24 h.
func day() *story {
	s := newStory()
	s.header.Policy = harness.RequiredPolicy()
	s.header.Dialect.Expired = "reject"
	return s
}

// clock moves the target's clock to so many hours after the beginning.
func (s *story) clock(hours int) *story { return s.ahead(time.Duration(hours) * time.Hour) }

func (s *story) ahead(by time.Duration) *story {
	return s.add(harness.Event{Type: harness.MarkEvent, Mark: &harness.Mark{Name: MarkOffset, Count: map[string]int64{"ms": by.Milliseconds()}}})
}

var parked = harness.Answer{Status: 202, RequestID: "r1", BodySHA256: "202"}

func TestExpiredRefused(t *testing.T) {
	fresh := harness.Request{Keys: []string{"fresh"}, BodySHA256: "b9"}
	until := func(late harness.Answer) *story {
		return day().send("ended", keyK, created).clock(20).send("ended", keyK, created).clock(25).send("ended", keyK, late)
	}
	lenient := until(created).send("unused", fresh, boughtAs(2))
	lenient.header.Dialect.Expired = "new"
	judgeAll(t, ExpiredRefused(Labelled("ended"), Labelled("unused")),
		judged{"refused", until(invalid).send("unused", fresh, boughtAs(2)), harness.Pass},
		judged{"executed", until(boughtAs(3)).send("unused", fresh, boughtAs(2)), harness.Fail},
		judged{"replayed", until(created).send("unused", fresh, boughtAs(2)), harness.Fail},
		judged{"refused, and executed once its record was gone", until(invalid).send("unused", fresh, boughtAs(2)).send("ended", keyK, boughtAs(3)), harness.Fail},
		judged{"forgotten too soon", day().send("ended", keyK, created).clock(20).send("ended", keyK, invalid).clock(25).send("ended", keyK, invalid).send("unused", fresh, boughtAs(2)), harness.Fail},
		judged{"not repeated within the retention", day().send("ended", keyK, created).clock(25).send("ended", keyK, invalid).send("unused", fresh, boughtAs(2)), harness.Inconclusive},
		judged{"not repeated after it", day().send("ended", keyK, created).clock(20).send("ended", keyK, created).send("unused", fresh, boughtAs(2)), harness.Inconclusive},
		judged{"nothing works by then", until(invalid).send("unused", fresh, invalid), harness.Inconclusive},
		judged{"never ended", day().send("ended", keyK, parked).clock(25).send("ended", keyK, invalid), harness.Inconclusive},
		judged{"refused, but a provider was called", func() *story {
			s := day().send("ended", keyK, created).clock(20).send("ended", keyK, created).clock(25)
			op := s.invoke("ended", keyK)
			return s.charge("ended", "p9", "", 201).answer(op, invalid)
		}(), harness.Fail},
		judged{"a dialect in which an expired key is new", lenient, harness.NotApplicable},
		judged{"the moved clock expired the credentials", until(expiredToken).send("unused", fresh, expiredToken), harness.Inconclusive},
		judged{"it did so before the retention was over", day().send("ended", keyK, created).clock(20).send("ended", keyK, expiredToken), harness.Inconclusive},
		judged{"not let in although no clock was moved", day().send("ended", keyK, created).send("ended", keyK, expiredToken), harness.Fail},
	)
}

// expiredToken is what whoever's credentials end by the moved clock is told.
var expiredToken = harness.Answer{Status: 401, Code: "UNAUTHENTICATED"}

func TestRetainedToTheLast(t *testing.T) {
	until := func(late harness.Answer) *story {
		return day().send("kept", keyK, created).ahead(24*time.Hour-time.Minute).send("kept", keyK, late)
	}
	looser := until(created)
	looser.header.Policy.Checkout.Retention = harness.Duration(12 * time.Hour)
	judgeAll(t, RetainedToTheLast(All()),
		judged{"replayed a minute before", until(created), harness.Pass},
		judged{"refused a minute before", until(invalid), harness.Fail},
		judged{"run anew a minute before", until(boughtAs(2)), harness.Fail},
		judged{"replayed an hour and more before", day().send("kept", keyK, created).ahead(22*time.Hour).send("kept", keyK, created), harness.Inconclusive},
		judged{"repeated afterwards only", day().send("kept", keyK, created).clock(25).send("kept", keyK, invalid), harness.Inconclusive},
		judged{"never ended", day().send("kept", keyK, parked).clock(23).send("kept", keyK, parked), harness.Inconclusive},
		judged{"the moved clock expired the credentials", until(expiredToken), harness.Inconclusive},
		judged{"a declared retention that is shorter than the required one", looser, harness.Fail},
	)
}

func TestRetainedFromTheEnd(t *testing.T) {
	until := func(late harness.Answer) *story {
		return day().send("late", keyK, parked).clock(20).send("late", keyK, parked).send("late", keyK, created).clock(43).send("late", keyK, late)
	}
	looser := until(created)
	looser.header.Policy.Checkout.Retention = harness.Duration(12 * time.Hour)
	own := until(created)
	own.header.Policy.Checkout.Retention, own.header.Requirements = harness.Duration(30*time.Hour), "own"
	longer := day().send("late", keyK, parked).clock(40).send("late", keyK, parked).send("late", keyK, created).clock(86).send("late", keyK, created)
	longer.header.Policy.Checkout.Retention = harness.Duration(48 * time.Hour)
	judgeAll(t, RetainedFromTheEnd(All()),
		judged{"a retention that is longer than the required one", longer, harness.Pass},
		judged{"kept since its end", until(created), harness.Pass},
		judged{"forgotten since its beginning", until(invalid), harness.Fail},
		judged{"run anew", until(boughtAs(2)), harness.Fail},
		judged{"the moved clock expired the credentials", until(expiredToken), harness.Inconclusive},
		judged{"ended at once", day().send("late", keyK, parked).send("late", keyK, created).clock(43).send("late", keyK, created), harness.Inconclusive},
		judged{"not repeated between", day().send("late", keyK, parked).clock(20).send("late", keyK, parked).send("late", keyK, created), harness.Inconclusive},
		judged{"a declared retention that is shorter than the required one", looser, harness.Fail},
		judged{"one that is judged by itself", own, harness.Pass},
	)
}

func TestPendingKept(t *testing.T) {
	read := func(id string) harness.Request {
		return harness.Request{Operation: harness.OpStatus, Path: "/checkout/" + id}
	}
	found := harness.Answer{Status: 200, RequestID: "r1", State: "PENDING"}
	gone := func() *story {
		return day().send("open", keyK, parked).send("ended", keys("other"), boughtAs(9)).send("ended", read("r9"), harness.Answer{Status: 200, RequestID: "r9"}).
			clock(25).send("ended", read("r9"), notFound)
	}
	judgeAll(t, PendingKept(Labelled("open"), Labelled("ended")),
		judged{"kept", gone().send("open", keyK, parked).send("open", read("r1"), found).send("open", keyK, created), harness.Pass},
		judged{"run anew", gone().send("open", keyK, boughtAs(2)), harness.Fail},
		judged{"begun anew", gone().send("open", keyK, harness.Answer{Status: 202, RequestID: "r2", BodySHA256: "202"}), harness.Fail},
		judged{"refused", gone().send("open", keyK, invalid), harness.Fail},
		judged{"the moved clock expired the credentials", gone().send("open", keyK, expiredToken), harness.Inconclusive},
		judged{"it did so for who reads", gone().send("open", keyK, parked).send("open", read("r1"), expiredToken), harness.Inconclusive},
		judged{"a dialect that names no pending answer", wordless(gone().send("open", keyK, created)), harness.NotApplicable},
		judged{"its id is gone", gone().send("open", keyK, parked).send("open", read("r1"), notFound), harness.Fail},
		judged{"never ended", gone().send("open", keyK, parked).send("open", read("r1"), found), harness.Inconclusive},
		judged{"nothing was purged", day().send("open", keyK, parked).clock(25).send("open", keyK, parked).send("open", keyK, created), harness.NotVerified},
		judged{"not asked after others were purged", gone().send("open", keyK, created), harness.Inconclusive},
		judged{"not open", day().send("open", keyK, created).clock(25).send("open", keyK, created), harness.Inconclusive},
	)
}

// TestOnceEnded: a payment of a request that is still open is no mistake, as where
// the clock could not be moved and the scenario broke off.
func TestOnceEnded(t *testing.T) {
	ends := func(a harness.Answer) *story {
		return day().send("open", keyK, parked).clock(43).send("open", keyK, parked).send("open", keyK, a)
	}
	judgeAll(t, OnceEnded(All(), EachSucceeded(All(), EffectsMatchSuccesses(All()))),
		judged{"ended, with its effects", ends(created).success("open"), harness.Pass},
		judged{"ended, and paid twice", ends(created).success("open").effect("open", "charge"), harness.Fail},
		judged{"declined in the end, and charged", ends(declined).effect("open", "charge"), harness.Fail},
		judged{"charged, and the clock was never moved", day().send("open", keyK, parked).effect("open", "charge"), harness.Inconclusive},
		judged{"charged, and still open", ends(parked).effect("open", "charge"), harness.Inconclusive},
		judged{"charged, and the moved clock expired the credentials", ends(expiredToken).effect("open", "charge"), harness.Inconclusive},
		judged{"declined, and nothing left", ends(declined), harness.Inconclusive},
	)
}
