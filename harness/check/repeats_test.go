package check

import (
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// callAt is a call with times of its own.
func (s *story) callAt(c string, call harness.Call) *story {
	s.events = append(s.events, harness.Event{Type: harness.CallEvent, Case: "t/s/" + c, Call: &call, At: call.Ended})
	return s
}

// over is a request of a case that began at the start and ended at that time.
func (s *story) over(c string, began, ended time.Duration, a harness.Answer) *story {
	op := s.invoke(c, keyK)
	s.events[len(s.events)-1].At = began
	s.answer(op, a)
	s.events[len(s.events)-1].At = ended
	return s
}

const (
	refusesAlways = "payment/charge#*:stub:status(418)"
	failsAlways   = "payment/charge#*:stub:status(503)"
	asksForTwo    = "payment/charge#1:before-forward:status(429,2)"
	conflicts409  = "payment/charge#1:after-commit:status(409)"
)

var (
	unavailable503 = harness.Answer{Status: 503, Code: "SERVICE_UNAVAILABLE"}
	accepted202    = harness.Answer{Status: 202, Code: "CHECKOUT_PENDING", State: "PENDING", RequestID: "r1"}
	refused422     = harness.Answer{Status: 422, Code: "VALIDATION_ERROR", RequestID: "r1"}
)

func TestCalledOnce(t *testing.T) {
	run := func(calls int) *story {
		s := newStory().plan("a", refusesAlways)
		op := s.invoke("a", keyK)
		for range calls {
			s.charge("a", "p", refusesAlways, 418)
		}
		return s.answer(op, refused422)
	}
	judgeAll(t, CalledOnce(All()),
		judged{"one call", run(1), harness.Pass},
		judged{"two calls", run(2), harness.Fail},
		judged{"another call behind the answer", run(1).charge("a", "p", refusesAlways, 418), harness.Fail},
		judged{"another call for the caller's next request", run(1).send("a", keyKFinal, created).charge("a", "p", "", 201), harness.Pass},
		judged{"no call", run(0), harness.Inconclusive},
		judged{"a call that met no fault", newStory().plan("a", refusesAlways).send("b", keyK, created), harness.Inconclusive},
		judged{"a case without a plan", run(1).send("b", keyK, created), harness.Inconclusive},
		judged{"the request never ended", func() *story {
			s := newStory().plan("a", refusesAlways)
			s.invoke("a", keyK)
			return s.charge("a", "p", refusesAlways, 418)
		}(), harness.Inconclusive},
		judged{"a call of nobody in its time", func() *story {
			s := run(1)
			s.events = append(s.events, harness.Event{Type: harness.CallEvent, Call: &harness.Call{Link: "payment", Operation: "charge", Started: time.Second}})
			return s
		}(), harness.Inconclusive},
	)
}

func TestAttemptsExactly(t *testing.T) {
	run := func(declared, calls int, a harness.Answer) *story {
		s := newStory().plan("a", failsAlways)
		s.header.Policy.Checkout.Attempts = declared
		op := s.invoke("a", keyK)
		for range calls {
			s.charge("a", "p", failsAlways, 503)
		}
		return s.answer(op, a)
	}
	query := harness.Call{Link: "payment", Operation: "query"}
	own := run(4, 4, unavailable503)
	own.header.Requirements = "own"
	judgeAll(t, AttemptsExactly(All()),
		judged{"as declared", run(3, 3, unavailable503), harness.Pass},
		judged{"one too many", run(3, 4, unavailable503), harness.Fail},
		judged{"three times three", run(3, 9, unavailable503), harness.Fail},
		judged{"one too few", run(3, 2, unavailable503), harness.Fail},
		judged{"another one behind the answer", run(3, 3, unavailable503).charge("a", "p", failsAlways, 503), harness.Fail},
		judged{"a further round of what is pending", run(3, 3, accepted202).charge("a", "p", "", 201), harness.Pass},
		judged{"too few, then pending", run(3, 2, accepted202), harness.Inconclusive},
		judged{"declares too many", run(4, 4, unavailable503), harness.Fail},
		judged{"judged by its own number", own, harness.Pass},
		judged{"a query stands between", func() *story {
			s := newStory().plan("a", failsAlways)
			s.header.Policy.Checkout.Attempts = 3
			op := s.invoke("a", keyK)
			return s.charge("a", "p", failsAlways, 503).call("a", query).answer(op, unavailable503)
		}(), harness.Inconclusive},
		judged{"no call", run(3, 0, unavailable503), harness.Inconclusive},
	)
}

// failedTwice is one checkout whose charge failsAlways and waits as given.
func failedTwice(s *story, c string, waits ...time.Duration) *story {
	s.plan(c, before)
	now := time.Second
	s.callAt(c, harness.Call{Link: "orders", Operation: "create", Started: now - 20*time.Millisecond, Ended: now - 10*time.Millisecond})
	s.callAt(c, harness.Call{Link: "payment", Operation: "charge", Status: 503, Fault: before, Started: now, Ended: now})
	for _, w := range waits {
		now += w
		s.callAt(c, harness.Call{Link: "payment", Operation: "charge", Status: 201, Started: now, Ended: now})
	}
	return s.over(c, 0, now+time.Second, created)
}

func TestDependencyWaits(t *testing.T) {
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	crowd := func(n int, waits func(i int) []time.Duration) *story {
		s := newStory()
		s.header.Policy.Checkout.Attempts = 3
		for i := range n {
			failedTwice(s, string(rune('a'+i)), waits(i)...)
		}
		return s
	}
	spread := func(i int) []time.Duration { return []time.Duration{ms(100 + 10*i), ms(250 + 5*i)} }
	single := crowd(10, spread)
	single.header.Policy.Checkout.Attempts = 2
	// slowed is a crowd on a machine that adds 0.4 s to whatever is done.
	slowed := func(first, second int) *story {
		s := crowd(10, func(i int) []time.Duration { return []time.Duration{ms(first + i), ms(second + i)} })
		for _, e := range s.events {
			if e.Call != nil && e.Call.Link == "orders" {
				e.Call.Started, e.Call.Ended = 0, 600*time.Millisecond
			}
		}
		return s
	}
	judgeAll(t, DependencyWaitsGrow(All(), 10),
		judged{"a busy machine hides growth", slowed(500, 590), harness.Inconclusive},
		judged{"a busy machine hides none", slowed(500, 510), harness.Fail},
		judged{"no wait at all on a busy machine", slowed(100, 101), harness.Fail},
		judged{"they double on a busy machine", slowed(600, 900), harness.Pass},
		judged{"they double", crowd(10, spread), harness.Pass},
		judged{"they stay", crowd(10, func(i int) []time.Duration { return []time.Duration{ms(100 + i), ms(101 + i)} }), harness.Fail},
		judged{"too few", crowd(9, spread), harness.Inconclusive},
		judged{"one wait each", crowd(10, func(int) []time.Duration { return []time.Duration{ms(100)} }), harness.Inconclusive},
		judged{"two attempts are declared", single, harness.NotApplicable},
	)
	judgeAll(t, DependencyWaitsDiffer(All(), 10),
		judged{"they lie apart", crowd(10, spread), harness.Pass},
		judged{"all alike", crowd(10, func(int) []time.Duration { return []time.Duration{ms(200), ms(400)} }), harness.Fail},
		judged{"too few", crowd(5, spread), harness.Inconclusive},
	)
}

func TestDependencyWaitsAsAsked(t *testing.T) {
	run := func(gaps ...time.Duration) *story {
		s := newStory().plan("a", asksForTwo)
		s.header.Policy.Client.Total = harness.Duration(10 * time.Second)
		now := time.Second
		s.callAt("a", harness.Call{Link: "payment", Operation: "charge", Status: 429, Fault: asksForTwo, Started: now, Ended: now})
		for _, gap := range gaps {
			now += gap
			s.callAt("a", harness.Call{Link: "payment", Operation: "charge", Status: 201, Started: now, Ended: now})
		}
		return s.over("a", 0, now+time.Second, created)
	}
	short := run(2 * time.Second)
	short.header.Policy.Client.Total = harness.Duration(2 * time.Second)
	never := run()
	never.events = nil
	judgeAll(t, func(h *harness.History) harness.Verdict {
		if h.Header.Policy.Client.Total == 0 {
			h.Header.Policy.Client.Total = harness.Duration(10 * time.Second)
		}
		return DependencyWaitsAsAsked(All(), 2*time.Second)(h)
	},
		judged{"then", run(2100 * time.Millisecond), harness.Pass},
		judged{"too early", run(300 * time.Millisecond), harness.Fail},
		judged{"far too late", run(6 * time.Second), harness.Fail},
		judged{"not at all", run(), harness.Fail},
		judged{"no time for it", short, harness.NotApplicable},
		judged{"nothing happened", never, harness.Inconclusive},
	)
	judgeAll(t, NotBeforeAsked(All()),
		judged{"not repeated", run(), harness.Pass},
		judged{"repeated", run(300 * time.Millisecond), harness.Fail},
		judged{"nothing happened", never, harness.Inconclusive},
	)
}

func TestRereadsConflict(t *testing.T) {
	run := func(a harness.Answer, then ...func(*story)) *story {
		s := newStory().plan("a", conflicts409)
		op := s.invoke("a", keyK)
		s.charge("a", "p", conflicts409, 409)
		for _, f := range then {
			f(s)
		}
		return s.answer(op, a)
	}
	query := func(s *story) { s.call("a", harness.Call{Link: "payment", Operation: "query"}) }
	again := func(s *story) { s.charge("a", "p", "", 201) }
	notDone := newStory().plan("a", "payment/charge#1:before-forward:status(409)")
	op := notDone.invoke("a", keyK)
	notDone.call("a", harness.Call{Link: "payment", Operation: "charge", Status: 409, Fault: "payment/charge#1:before-forward:status(409)"}).
		call("a", harness.Call{Link: "payment", Operation: "query"}).charge("a", "p", "", 201).answer(op, created)
	judgeAll(t, RereadsConflict(All()),
		judged{"read, then a success", run(created, query), harness.Pass},
		judged{"read, not done, repeated", notDone, harness.Pass},
		judged{"repeated blindly", run(created, again), harness.Fail},
		judged{"repeated, then read", run(created, again, query), harness.Fail},
		judged{"read, done, and yet repeated", run(created, query, again), harness.Fail},
		judged{"believed without a look", run(refused422), harness.Fail},
		judged{"read, done, and yet refused", run(refused422, query), harness.Fail},
		judged{"never called", newStory().plan("a", conflicts409).send("a", keyK, created), harness.Inconclusive},
	)
}
