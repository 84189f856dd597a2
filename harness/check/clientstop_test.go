package check

import (
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

func TestStopsWhenCancelled(t *testing.T) {
	after := func(harness.ClientPolicy) time.Duration { return sec } // the call begins at 1 s
	call := func(a harness.Answer, returned, ended time.Duration) *story {
		s := paced()
		op := s.asks("a@shim", sec)
		return s.leaves("a@shim", 1, sec, ended).returns(op, returned, a).watched("a@shim", 9*sec)
	}
	judgeAll(t, StopsWhenCancelled(All(), after, 1),
		judged{"at once", call(cancelled, 2*sec, 2*sec), harness.Pass},
		judged{"taken for a timeout", call(timedOut, 2*sec, 2*sec), harness.Fail},
		judged{"answered from a fallback", call(fine, 2*sec, 2*sec), harness.Fail},
		judged{"hardly too late", call(cancelled, 2600*time.Millisecond, 2*sec), harness.Inconclusive},
		judged{"hardly too late, and the attempt goes on", call(cancelled, 2600*time.Millisecond, 6*sec), harness.Fail},
		judged{"hardly too late, and no cancellation", call(fine, 2600*time.Millisecond, 2*sec), harness.Fail},
		judged{"too late", call(cancelled, 3*sec, 2*sec), harness.Fail},
		judged{"the attempt goes on", call(cancelled, 2*sec, 6*sec), harness.Fail},
		judged{"sent again", call(cancelled, 2*sec, 2*sec).leaves("a@shim", 2, 2200*time.Millisecond, 3*sec), harness.Fail},
		judged{"sent twice before", call(cancelled, 2*sec, 2*sec).answers("a@shim", 2, 1500*time.Millisecond, 1600*time.Millisecond, 503), harness.Inconclusive},
		judged{"over before it was cancelled", call(unavailable, 1200*time.Millisecond, 1100*time.Millisecond), harness.Inconclusive},
		judged{"nothing was sent", func() *story {
			s := paced()
			return s.returns(s.asks("a@shim", sec), 2*sec, cancelled).watched("a@shim", 9*sec)
		}(), harness.Inconclusive},
		judged{"not watched", func() *story {
			s := paced()
			op := s.asks("a@shim", sec)
			return s.leaves("a@shim", 1, sec, 2*sec).returns(op, 2*sec, cancelled)
		}(), harness.Inconclusive},
		judged{"the peer ended it too early to tell", func() *story {
			s := paced()
			op := s.asks("a@shim", sec)
			return s.arrives("a@shim", 1, sec, 2200*time.Millisecond, 0).returns(op, 2*sec, cancelled).watched("a@shim", 9*sec)
		}(), harness.Inconclusive},
		judged{"it never ended", open(), harness.Inconclusive},
	)
	judgeAll(t, StopsWhenCancelled(All(), func(harness.ClientPolicy) time.Duration { return 0 }, 0),
		judged{"before it began", func() *story {
			s := paced()
			return s.returns(s.asks("a@shim", sec), sec+time.Millisecond, cancelled).watched("a@shim", 9*sec)
		}(), harness.Pass},
		judged{"sent all the same", func() *story {
			s := paced()
			op := s.asks("a@shim", sec)
			return s.answers("a@shim", 1, sec+time.Millisecond, sec+time.Millisecond, 200).returns(op, sec+2*time.Millisecond, fine).watched("a@shim", 9*sec)
		}(), harness.Fail},
	)
}

func TestStopsOnSuccess(t *testing.T) {
	call := func(a harness.Answer, statuses ...int) *story {
		s := paced()
		op := s.asks("a@shim", sec)
		for i, status := range statuses {
			from := sec + time.Duration(i)*300*time.Millisecond
			s.answers("a@shim", 1, from, from, status)
		}
		return s.returns(op, 3*sec, a)
	}
	judgeAll(t, StopsOnSuccess(All()),
		judged{"after two failures", call(fine, 503, 503, 200), harness.Pass},
		judged{"goes on", call(fine, 503, 200, 200), harness.Fail},
		judged{"gives up early", call(unavailable, 503), harness.Fail},
		judged{"asks nobody", call(fine), harness.Fail},
		judged{"it never ended", open(), harness.Inconclusive},
	)
}

func TestSendsLast(t *testing.T) {
	call := func(warm harness.Answer, conns ...int64) *story {
		s := paced()
		for i := range 2 {
			op := s.asks("a@shim", sec)
			s.answers("a@shim", int64(i+1), sec, sec+1, 200).returns(op, 2*sec, warm)
		}
		op := s.asks("a@shim", 3*sec)
		for i, conn := range conns {
			s.arrives("a@shim", conn, 3*sec+time.Duration(i)*time.Millisecond, 4*sec, 0)
		}
		return s.returns(op, 5*sec, unavailable)
	}
	three := func(harness.ClientPolicy) (int, int) { return 1, 3 }
	judgeAll(t, SendsLast(All(), three),
		judged{"three in all", call(fine, 1, 3, 4), harness.Pass},
		judged{"copies on idle connections", call(fine, 1, 2, 3, 4), harness.Fail},
		judged{"nothing was sent", call(fine), harness.Fail},
		judged{"nothing was warm", call(unavailable, 1, 3, 4), harness.Inconclusive},
		judged{"one call only", called(3, sec, unavailable), harness.Inconclusive},
		judged{"it never ended", open(), harness.Inconclusive},
	)
}

func TestAmplification(t *testing.T) {
	two := func(n int) *story {
		s := called(3, sec, unavailable)
		op := s.asks("b@shim", sec)
		for range n {
			s.arrives("b@shim", 1, sec, sec, 503)
		}
		return s.returns(op, 2*sec, unavailable)
	}
	judgeAll(t, Amplification(All()),
		judged{"a factor of three", two(3), harness.Pass},
		judged{"a factor of six", two(9), harness.Fail},
		judged{"nothing was sent", called(0, sec, unavailable), harness.Inconclusive},
		judged{"it never ended", open(), harness.Inconclusive},
	)
}

func TestBudgetPropagated(t *testing.T) {
	call := func(values ...string) *story {
		s := paced()
		s.header.Client = &harness.ClientInfo{BudgetHeader: "X-Budget-Ms"}
		op := s.asks("a@shim", sec)
		for i, v := range values {
			from := sec + time.Duration(i)*3*sec
			s.answers("a@shim", 1, from, from+sec, 503)
			s.events[len(s.events)-1].Call.Lines = [][2]string{{"x-budget-ms", v}}
		}
		return s.returns(op, 8*sec, unavailable)
	}
	undeclared := called(3, sec, unavailable)
	judgeAll(t, BudgetPropagated(All()),
		judged{"what is left", call("10000", "6990", "4000"), harness.Pass},
		judged{"stale", call("10000", "10000"), harness.Fail},
		judged{"seconds", call("10", "7"), harness.Fail},
		judged{"not sent", call("", ""), harness.Fail},
		judged{"one attempt", call("10000"), harness.Inconclusive},
		judged{"not declared", undeclared, harness.NotApplicable},
		judged{"it never ended", open(), harness.Inconclusive},
	)
}

func TestNoLooser(t *testing.T) {
	judge := NoLooser(LimitRetries, Sends(All(), 1, 9))
	declaring := func(retries int, requirements string) *story {
		s := called(2, sec, unavailable)
		s.header.Policy.Client.Retries, s.header.Requirements = retries, requirements
		return s
	}
	judgeAll(t, judge,
		judged{"as required", declaring(2, "srs"), harness.Pass},
		judged{"stricter", declaring(1, "srs"), harness.Pass},
		judged{"looser", declaring(3, "srs"), harness.Fail},
		judged{"looser, and judged by itself", declaring(3, "own"), harness.Pass},
		judged{"looser, whatever it does", func() *story { s := open(); s.header.Policy.Client.Retries = 3; return s }(), harness.Fail},
	)
	for _, l := range []Limit{LimitConnect, LimitRead, LimitTotal} {
		s := called(2, sec, unavailable)
		s.header.Policy.Client = harness.ClientPolicy{Connect: harness.Duration(time.Minute), Read: harness.Duration(time.Minute), Total: harness.Duration(time.Minute), Retries: 2}
		judgeAll(t, NoLooser(l, Sends(All(), 1, 9)), judged{"looser " + string(l), s, harness.Fail})
	}
}

func TestEvery(t *testing.T) {
	judgeAll(t, Every(Sends(All(), 3, 3), Returns(All(), Outcome{Failure: true})),
		judged{"both hold", called(3, sec, unavailable), harness.Pass},
		judged{"one does not", called(3, sec, fine), harness.Fail},
		judged{"the other does not", called(2, sec, unavailable), harness.Fail},
		judged{"it never ended", open(), harness.Inconclusive},
	)
}

func TestSendsUntilReturn(t *testing.T) {
	two := func(harness.ClientPolicy) (int, int) { return 2, 2 }
	judgeAll(t, SendsUntilReturn(All(), two),
		judged{"two", called(2, sec, unavailable), harness.Pass},
		judged{"a third in the background", called(2, sec, unavailable).arrives("a@shim", 9, 3*sec, 3*sec, 503), harness.Pass},
		judged{"a third", called(3, sec, unavailable), harness.Fail},
		judged{"one", called(1, sec, unavailable), harness.Fail},
		judged{"it never ended", open(), harness.Inconclusive},
	)
}

func TestOutcomeOfACall(t *testing.T) {
	for want, a := range map[string]harness.Answer{
		"status 200":                          fine,
		"error status 504 DEPENDENCY_TIMEOUT": timedOut,
		"cancelled":                           cancelled,
		"error without a status: no route":    {Outcome: harness.OutcomeError, Message: "no route"},
		"error without a status":              {Outcome: harness.OutcomeError},
	} {
		if got := outcomeOf(clientCases(called(1, sec, a).history(), All())[0]); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
