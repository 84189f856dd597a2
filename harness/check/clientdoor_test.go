package check

import (
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// knocks is a shut door that met so many.
func (s *story) knocks(c, door string, n int) *story {
	s.plan(c, "dependency:"+door)
	return s.add(harness.Event{Type: harness.FaultEvent, Case: "t/s/" + c, Fault: &harness.FaultRecord{Fault: "dependency:" + door, Stage: harness.FaultLifted, Fired: n}})
}

// opens has the door of a case let somebody in.
func (s *story) opens(c string, at time.Duration) *story {
	s.events = append(s.events, harness.Event{Type: harness.MarkEvent, Case: "t/s/" + c, At: at, Mark: &harness.Mark{Name: harness.MarkDoorOpened}})
	return s
}

func TestKnocks(t *testing.T) {
	three := func(p harness.ClientPolicy) (int, int) { return p.Retries + 1, p.Retries + 1 }
	judgeAll(t, Knocks(All(), three),
		judged{"three", called(0, 6*sec, unavailable).knocks("a@shim", "full", 3), harness.Pass},
		judged{"one", called(0, 2*sec, unavailable).knocks("a@shim", "full", 1), harness.Fail},
		judged{"four", called(0, 8*sec, unavailable).knocks("a@shim", "full", 4), harness.Fail},
		judged{"at the door of another case", called(0, 8*sec, unavailable).knocks("b@shim", "full", 3), harness.Fail},
		judged{"it never ended", open(), harness.Inconclusive},
	)
}

func TestReconnects(t *testing.T) {
	shut := func(*harness.ClientInfo, harness.ClientPolicy) time.Duration { return 150 * ms }
	call := func(n int, ends time.Duration, a harness.Answer, jitter string) *story {
		s := paced()
		s.header.Client = &harness.ClientInfo{Backoff: usual()}
		s.header.Client.Backoff.Jitter = jitter
		op := s.asks("a@shim", sec)
		for range n {
			s.answers("a@shim", 1, sec+ends, sec+ends, 200)
		}
		return s.returns(op, sec+ends, a)
	}
	judgeAll(t, Reconnects(All(), shut),
		judged{"it comes back", call(1, 300*ms, fine, "equal").knocks("a@shim", "refused(150ms)", 1), harness.Pass},
		judged{"refused is for good", call(0, ms, unavailable, "equal").knocks("a@shim", "refused(150ms)", 1), harness.Fail},
		judged{"refused is for good, full jitter", call(0, ms, unavailable, "full").knocks("a@shim", "refused(150ms)", 1), harness.Fail},
		judged{"full jitter was too quick", call(0, 100*ms, unavailable, "full").knocks("a@shim", "refused(150ms)", 1), harness.Inconclusive},
		judged{"a success from nowhere", call(0, 300*ms, fine, "equal").knocks("a@shim", "refused(150ms)", 1), harness.Fail},
		judged{"comes back twice", call(2, 300*ms, fine, "equal").knocks("a@shim", "refused(150ms)", 1), harness.Fail},
		judged{"it tries again, and the door knows of it too late", call(0, 500*ms, unavailable, "equal").knocks("a@shim", "refused(150ms)", 3), harness.Inconclusive},
		judged{"the door opened too late", call(0, 500*ms, unavailable, "equal").knocks("a@shim", "refused(150ms)", 3).opens("a@shim", sec+600*ms), harness.Inconclusive},
		judged{"it tries again, but not when the door is open", call(0, 500*ms, unavailable, "equal").knocks("a@shim", "refused(150ms)", 3).opens("a@shim", sec+150*ms), harness.Fail},
		judged{"nobody was refused", call(1, 300*ms, fine, "equal").knocks("a@shim", "refused(150ms)", 0), harness.Inconclusive},
		judged{"it never ended", open(), harness.Inconclusive},
	)
}

func TestGiven(t *testing.T) {
	judge := Given(Returns(Labelled("b@"), Outcome{Response: true}), Sends(Labelled("a@"), 3, 3))
	control := func(a harness.Answer, n int) *story {
		s := called(n, sec, unavailable)
		return s.returns(s.asks("b@shim", sec), 2*sec, a)
	}
	judgeAll(t, judge,
		judged{"both", control(fine, 3), harness.Pass},
		judged{"without the control", control(unavailable, 3), harness.Inconclusive},
		judged{"a failure needs no control", control(unavailable, 1), harness.Fail},
		judged{"nobody tried the control", called(3, sec, unavailable), harness.Inconclusive},
	)
}

func TestWhereResolved(t *testing.T) {
	judge := WhereResolved(Labelled("a@"), Labelled("b@"), Lasts(Labelled("a@"), Around(ConnectLimit)))
	told := func(s *story, requests int) *story {
		op := s.asks("b@shim", sec)
		for range requests {
			s.answers("b@shim", 1, sec, sec, 200)
		}
		return s.returns(op, sec, fine)
	}
	judgeAll(t, judge,
		judged{"it ends at its limit", told(called(0, 2*sec, unavailable), 1).knocks("a@shim", "no-name", 2), harness.Pass},
		judged{"it goes on", told(called(0, 5*sec, unavailable), 1).knocks("a@shim", "no-name", 4), harness.Fail},
		judged{"it asks somebody else", told(called(0, ms, unavailable), 1).knocks("a@shim", "no-name", 0), harness.Inconclusive},
		judged{"it asks somebody else for the other name", told(called(0, 5*sec, unavailable), 0).knocks("a@shim", "no-name", 2), harness.Inconclusive},
		judged{"nobody tried the other name", called(0, 5*sec, unavailable).knocks("a@shim", "no-name", 2), harness.Inconclusive},
		judged{"it never ended", open(), harness.Inconclusive},
	)
}

// redirecting is a call that is redirected, with what comes to the target.
func redirecting(lines ...string) *story {
	s := paced()
	op := s.asks("a@shim", sec)
	s.answers("a@shim", 1, sec, sec, 307).lines(lines...)
	return s.returns(op, 2*sec, harness.Answer{Status: 307})
}

func TestRedirects(t *testing.T) {
	target := RedirectTarget("a@shim")
	plain := func() *story { return redirecting() }
	judgeAll(t, NotFollowed(Labelled("a@")),
		judged{"not followed", plain().watched(target, 3*sec), harness.Pass},
		judged{"followed", plain().answers(target, 1, 1500*ms, 1500*ms, 200).watched(target, 3*sec), harness.Fail},
		judged{"it only connects", plain().connection(target, 1, 1500*ms, 2*sec, harness.ByCaller, 0).watched(target, 3*sec), harness.Fail},
		judged{"another case's target", plain().answers(RedirectTarget("b@shim"), 1, sec, sec, 200).watched(target, 3*sec), harness.Pass},
		judged{"not watched", plain(), harness.Inconclusive},
		judged{"watched too short", plain().watched(target, 1500*ms), harness.Inconclusive},
		judged{"not redirected", called(1, sec, unavailable), harness.Inconclusive},
		judged{"nobody was asked", called(0, sec, unavailable), harness.Inconclusive},
		judged{"it never ended", open(), harness.Inconclusive},
	)
	read := func() *story { return redirecting("authorization", "Bearer x", "Cookie", "a=b") }
	judgeAll(t, CredentialsStay(Labelled("a@")),
		judged{"not followed", read().watched(target, 3*sec), harness.Pass},
		judged{"followed without", read().answers(target, 1, 1500*ms, 1500*ms, 200).lines("Accept", "*/*").watched(target, 3*sec), harness.Pass},
		judged{"followed with a cookie", read().answers(target, 1, 1500*ms, 1500*ms, 200).lines("cookie", "a=b").watched(target, 3*sec), harness.Fail},
		judged{"followed with a token", read().answers(target, 1, 1500*ms, 1500*ms, 200).lines("Authorization", "Bearer x"), harness.Fail},
		judged{"there are none", plain().watched(target, 3*sec), harness.Inconclusive},
		judged{"not watched", read(), harness.Inconclusive},
		judged{"it never ended", open(), harness.Inconclusive},
	)
}
