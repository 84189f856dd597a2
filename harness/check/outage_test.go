package check

import (
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// atInstance is the same request, sent to another instance.
func atInstance(instance int, r harness.Request) harness.Request {
	r.Instance = instance
	return r
}

// exchange is one on the client link, in flight from a time to another.
func (s *story) exchange(c string, instance int, from, to time.Duration) *story {
	return s.add(harness.Event{Type: harness.CallEvent, Case: "t/s/" + c, Call: &harness.Call{Link: harness.LinkClient, Instance: instance, Forwarded: from, Answered: to}})
}

func TestAcrossInstances(t *testing.T) {
	crowd := func(second int, from time.Duration) *story {
		return newStory().send("a", keyK, created).exchange("a", 0, 1, 10).exchange("a", second, from, from+10)
	}
	judgeAll(t, AcrossInstances(All(), NoServerError(All())),
		judged{"together at two", crowd(1, 5), harness.Pass},
		judged{"together at one", crowd(0, 5), harness.Inconclusive},
		judged{"at two, one after the other", crowd(1, 10), harness.Inconclusive},
		judged{"a loser was told of a failure", crowd(1, 5).send("a", keyK, harness.Answer{Status: 500}), harness.Fail},
		judged{"a loser was told that the key is in use", crowd(1, 5).send("a", keyK, busy), harness.Pass},
	)
}

func TestOwnWritesRead(t *testing.T) {
	final := harness.Answer{Status: 201, RequestID: "r1", OrderID: "o1", State: "SUCCEEDED", JSON: true}
	shown := harness.Answer{Status: 200, RequestID: "r1", State: "SUCCEEDED"}
	read := func(first, here, there harness.Answer) *story {
		return newStory().send("a", keyK, first).send("a", statusRead, here).send("a", atInstance(1, statusRead), there)
	}
	judgeAll(t, OwnWritesRead(All(), harness.ClassSuccess),
		judged{"found at both", read(final, shown, shown), harness.Pass},
		judged{"unknown at the second", read(final, shown, notFound), harness.Fail},
		judged{"another request", read(final, shown, harness.Answer{Status: 200, RequestID: "r2"}), harness.Fail},
		judged{"not final yet", read(final, shown, harness.Answer{Status: 200, RequestID: "r1", State: "PENDING"}), harness.Fail},
		judged{"read at one", newStory().send("a", keyK, final).send("a", statusRead, shown), harness.Inconclusive},
		judged{"not read", newStory().send("a", keyK, final), harness.Inconclusive},
		judged{"pending", read(harness.Answer{Status: 202, RequestID: "r1"}, shown, shown), harness.Inconclusive},
	)
	judgeAll(t, OwnWritesRead(All(), harness.ClassPending),
		judged{"pending, and finished since", read(harness.Answer{Status: 202, RequestID: "r1", State: "PENDING"}, shown, shown), harness.Pass},
		judged{"a dialect that names no pending answer", wordless(read(harness.Answer{Status: 202, RequestID: "r1", State: "PENDING"}, shown, shown)), harness.NotApplicable},
	)
}

// counted is a mark with counts.
func (s *story) counted(c, name string, count map[string]int64) *story {
	return s.add(harness.Event{Type: harness.MarkEvent, Case: "t/s/" + c, Mark: &harness.Mark{Name: name, Count: count}})
}

func TestAbandoned(t *testing.T) {
	all := map[string]int64{"charge": 1, "reservation": 1, "order": 1}
	left := func(hungUp bool, count map[string]int64) *story {
		s := newStory()
		s.lose(s.invoke("a", keyK))
		if hungUp {
			s.mark("a", harness.MarkAbandoned)
		}
		if count != nil {
			s.counted("a", MarkWentOn, count)
		}
		return s
	}
	judgeAll(t, GoesOnAlone(All()),
		judged{"done without its caller", left(true, all), harness.Pass},
		judged{"stopped half way", left(true, map[string]int64{"charge": 1, "reservation": 1}), harness.Fail},
		judged{"done twice", left(true, map[string]int64{"charge": 2, "reservation": 1, "order": 1}), harness.Fail},
		judged{"nobody hung up", left(false, all), harness.Inconclusive},
		judged{"nobody looked", left(true, nil), harness.Inconclusive},
	)
	judgeAll(t, HalfDoesNothing(All()),
		judged{"nothing", left(true, map[string]int64{}), harness.Pass},
		judged{"a charge", left(true, map[string]int64{"charge": 1}), harness.Fail},
	)
}

// restart is the mark of one.
func (s *story) restart() *story { return s.mark("", harness.MarkRestarted) }

// killed is an exchange that ended without an answer, now.
func (s *story) killed(c string) *story {
	now := time.Duration(len(s.events)+1) * time.Millisecond
	return s.add(harness.Event{Type: harness.CallEvent, Case: "t/s/" + c, Call: &harness.Call{Link: harness.LinkClient, Outcome: harness.CallUpstream, Forwarded: 1, Ended: now}})
}

func TestKnownAfterCrash(t *testing.T) {
	crashed := func(lost bool, after harness.Answer) *story {
		s := newStory()
		op := s.invoke("a", keyK)
		if lost {
			s.restart().lose(op)
		} else {
			s.answer(op, created).restart()
		}
		return s.send("a", keyKOther, after)
	}
	judgeAll(t, KnownAfterCrash(All()),
		judged{"known", crashed(true, conflict), harness.Pass},
		judged{"executed", crashed(true, created), harness.Fail},
		judged{"in progress, as if it were the same", crashed(true, busy), harness.Fail},
		judged{"it was answered before", crashed(false, conflict), harness.Inconclusive},
		judged{"nobody asked", func() *story { s := newStory(); op := s.invoke("a", keyK); return s.restart().lose(op) }(), harness.Inconclusive},
		judged{"no crash", func() *story { s := newStory(); return s.lose(s.invoke("a", keyK)).send("a", keyKOther, conflict) }(), harness.Inconclusive},
	)
}

// wordless is a story of a target whose dialect names neither a pending answer nor a
// decline.
func wordless(s *story) *story {
	s.header.Dialect.Pending, s.header.Dialect.Declined = harness.Refusal{}, harness.Refusal{}
	return s
}

func TestOutcomeSurvives(t *testing.T) {
	final := harness.Answer{Status: 201, RequestID: "r1", OrderID: "o1", State: "SUCCEEDED", JSON: true}
	shown := harness.Answer{Status: 200, RequestID: "r1", State: "SUCCEEDED"}
	other := final
	other.BodySHA256 = "another"
	told := func(read, again harness.Answer) *story {
		return newStory().send("a", keyK, final).killed("w").restart().send("a", statusRead, read).send("a", keyK, again)
	}
	judgeAll(t, OutcomeSurvives(All(), harness.ClassSuccess),
		judged{"the same", told(shown, final), harness.Pass},
		judged{"pending again", told(harness.Answer{Status: 200, RequestID: "r1", State: "PENDING"}, final), harness.Fail},
		judged{"forgotten", told(notFound, final), harness.Fail},
		judged{"another answer", told(shown, other), harness.Fail},
		judged{"in progress again", told(shown, busy), harness.Fail},
		judged{"not repeated", newStory().send("a", keyK, final).killed("w").restart().send("a", statusRead, shown), harness.Inconclusive},
		judged{"not read", newStory().send("a", keyK, final).killed("w").restart().send("a", keyK, final), harness.Inconclusive},
		judged{"nobody saw it die", newStory().send("a", keyK, final).restart().send("a", statusRead, shown).send("a", keyK, final), harness.Inconclusive},
		judged{"it died much later", func() *story {
			s := newStory().send("a", keyK, final)
			for range 60 {
				s.mark("b", "time goes by")
			}
			return s.killed("w").restart().send("a", statusRead, shown).send("a", keyK, final)
		}(), harness.Inconclusive},
	)
	parked := harness.Answer{Status: 202, RequestID: "r1", State: "PENDING"}
	judgeAll(t, OutcomeSurvives(All(), harness.ClassPending),
		judged{"pending still", newStory().send("a", keyK, parked).killed("w").restart().send("a", statusRead, harness.Answer{Status: 200, RequestID: "r1", State: "PENDING"}), harness.Pass},
		judged{"finished since", newStory().send("a", keyK, parked).killed("w").restart().send("a", statusRead, shown), harness.Pass},
		judged{"forgotten", newStory().send("a", keyK, parked).killed("w").restart().send("a", statusRead, notFound), harness.Fail},
		judged{"a dialect that names no pending answer", wordless(newStory().send("a", keyK, parked).killed("w").restart().send("a", statusRead, shown)), harness.NotApplicable},
	)
	no := harness.Answer{Status: 402, Code: "PAYMENT_DECLINED", RequestID: "r1", State: "FAILED_FINAL"}
	failed := harness.Answer{Status: 200, RequestID: "r1", State: "FAILED_FINAL"}
	refused := func(read, again harness.Answer) *story {
		return newStory().send("a", keyK, no).killed("w").restart().send("a", statusRead, read).send("a", keyK, again)
	}
	judgeAll(t, OutcomeSurvives(All(), harness.ClassDeclined),
		judged{"declined still", refused(failed, no), harness.Pass},
		judged{"paid after all", refused(failed, final), harness.Fail},
		judged{"pending again", refused(harness.Answer{Status: 200, RequestID: "r1", State: "PENDING"}, no), harness.Fail},
		judged{"forgotten", refused(notFound, no), harness.Fail},
		judged{"it was not declined", told(shown, final), harness.Inconclusive},
		judged{"a dialect that names no decline", wordless(refused(failed, no)), harness.NotApplicable},
	)
}

func TestAttemptsSurvive(t *testing.T) {
	const fault = "payment/charge#*:before-forward:status(429)"
	made := func(before, after int, query bool) *story {
		s := newStory()
		s.header.Policy.Checkout.Attempts = 3
		for range before {
			s.charge("a", "p", fault, 429)
		}
		s.restart()
		for i := range after {
			if query && i == 2 {
				s.call("a", harness.Call{Link: "payment", Operation: "query"})
			}
			s.charge("a", "p", fault, 429)
		}
		return s.mark("a", MarkCounted).charge("a", "p", "", 201)
	}
	further := func(before, after string) *story { // one more call before the count, one after it
		s := newStory()
		s.header.Policy.Checkout.Attempts = 3
		s.charge("a", "p", fault, 429).restart()
		return s.charge("a", "p", fault, 429).charge("a", "p", fault, 429).charge("a", "p", before, 201).mark("a", MarkCounted).charge("a", "p", after, 201)
	}
	declares := func(requirements string) *story {
		s := made(1, 3, false)
		s.invoke("a", keyKFinal)
		s.header.Policy.Checkout.Attempts, s.header.Requirements = 4, requirements
		return s
	}
	judgeAll(t, AttemptsSurvive(All()),
		judged{"three in all", made(1, 2, false), harness.Pass},
		judged{"counted anew", made(1, 3, false), harness.Fail},
		judged{"a further call that did not fail", further("", ""), harness.Pass},
		judged{"a further one that did", further(fault, ""), harness.Fail},
		judged{"one that failed when it was asked for anew", further("", fault), harness.Pass},
		judged{"counted anew after a question", made(1, 5, true), harness.Inconclusive},
		judged{"nobody went on", made(1, 0, false), harness.Inconclusive},
		judged{"no attempt before the crash", made(0, 3, false), harness.Inconclusive},
		judged{"declares too many", declares("srs"), harness.Fail},
		judged{"judged by its own number", declares("own"), harness.Pass},
	)
}

func TestFailsClosed(t *testing.T) {
	down := harness.Answer{Status: 503, Code: "SERVICE_UNAVAILABLE"}
	asked := func(a harness.Answer, call bool) *story {
		s := newStory()
		op := s.mark("a", MarkStoreDown).invoke("a", keyK)
		if call {
			s.charge("a", "p", "", 201)
		}
		return s.answer(op, a).mark("a", MarkStoreUp).charge("a", "p", "", 201).send("a", keyKFinal, created)
	}
	during := newStory().mark("a", MarkStoreDown).send("a", keyK, down).stray().mark("a", MarkStoreUp)
	unused := asked(down, false)
	unused.header.UnusedLinks = []string{"orders"}
	says := func(judge func(*harness.History) harness.Verdict) func(*harness.History) harness.Verdict {
		return func(h *harness.History) harness.Verdict {
			h.Header.Dialect.StoreDown = harness.Refusal{Statuses: []int{503}, Code: "SERVICE_UNAVAILABLE"}
			return judge(h)
		}
	}
	for _, mayWait := range []bool{false, true} {
		success := harness.Fail
		if mayWait {
			success = harness.Pass
		}
		judgeAll(t, says(FailsClosed(All(), mayWait)),
			judged{"refused", asked(down, false), harness.Pass},
			judged{"refused after a call", asked(down, true), harness.Fail},
			judged{"500", asked(harness.Answer{Status: 500}, false), harness.Fail},
			judged{"503 that says something else", asked(harness.Answer{Status: 503, Code: "BUSY"}, false), harness.Fail},
			judged{"a success", asked(created, true), success},
			judged{"the store was up", newStory().send("a", keyK, down), harness.Inconclusive},
			judged{"a call of nobody while it is down", during, harness.Inconclusive},
			judged{"a call of nobody once it is up", asked(down, false).stray(), harness.Pass},
			judged{"a link that nobody was seen to use", unused, harness.Inconclusive},
		)
	}
	silent := newStory().mark("a", MarkStoreDown).send("a", keyK, down).mark("a", MarkStoreUp)
	if v := FailsClosed(All(), false)(silent.history()); v.Outcome != harness.NotApplicable {
		t.Errorf("a dialect that does not say: %+v", v)
	}
}

func TestNoLastingConflict(t *testing.T) {
	lost := func(first, last harness.Answer) *story {
		s := newStory().mark("a", MarkStoreDown).send("a", keyK, first)
		return s.send("a", keyK, busy).send("a", keyKFinal, last)
	}
	unavailable := harness.Answer{Status: 503}
	judgeAll(t, NoLastingConflict(All()),
		judged{"a success in the end", lost(unavailable, created), harness.Pass},
		judged{"in progress for ever", lost(unavailable, busy), harness.Fail},
		judged{"in use by somebody else", lost(unavailable, conflict), harness.Fail},
		judged{"nothing was lost", lost(created, created), harness.Inconclusive},
		judged{"the store was up", newStory().send("a", keyK, unavailable).send("a", keyK, created), harness.Inconclusive},
	)
}
