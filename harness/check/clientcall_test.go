package check

import (
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// at moves the last event to a time.
func (s *story) at(d time.Duration) *story {
	s.events[len(s.events)-1].At = d
	return s
}

// asks has the client under test begin a call at that time, and returns its op.
func (s *story) asks(c string, at time.Duration) string {
	op := s.invoke(c, harness.Request{Operation: harness.OpCall, Method: "GET", Path: "/"})
	s.at(at)
	return op
}

// arrives is a request at the scripted peer that was read at from and ended at to.
func (s *story) arrives(c string, conn int64, from, to time.Duration, status int) *story {
	return s.add(harness.Event{Type: harness.CallEvent, Case: "t/s/" + c, Call: &harness.Call{
		Link: harness.LinkDependency, Conn: conn, Method: "GET", Path: "/", Started: from, Ended: to, Status: status}})
}

// connection is one at the scripted peer.
func (s *story) connection(c string, id int64, opened, closed time.Duration, by string, requests int) *story {
	return s.add(harness.Event{Type: harness.ConnEvent, Case: "t/s/" + c, Conn: &harness.Connection{ID: id, Opened: opened, Closed: closed, By: by, Requests: requests}})
}

var (
	fine        = harness.Answer{Status: 200, BodySHA256: "b"}
	unavailable = harness.Answer{Outcome: harness.OutcomeError, Status: 503, Code: "DEPENDENCY_UNAVAILABLE", JSON: true}
	timedOut    = harness.Answer{Outcome: harness.OutcomeError, Status: 504, Code: "DEPENDENCY_TIMEOUT", JSON: true}
	cancelled   = harness.Answer{Outcome: harness.OutcomeCancelled}
)

// called is a call with n requests at the peer that ended with the answer after
// that time.
func called(n int, ends time.Duration, a harness.Answer) *story {
	s := newStory()
	s.header.Policy = harness.RequiredPolicy()
	op := s.asks("a@shim", time.Second)
	for i := range n {
		from := time.Second + time.Duration(i)*100*time.Millisecond
		s.arrives("a@shim", int64(i+1), from, from+time.Millisecond, 503)
		s.connection("a@shim", int64(i+1), from, from+2*time.Millisecond, harness.ByPeer, 1)
	}
	return s.answer(op, a).at(time.Second + ends)
}

// open is a call that never ended.
func open() *story {
	s := newStory()
	s.asks("a@shim", time.Second)
	return s
}

func TestSends(t *testing.T) {
	judgeAll(t, Sends(All(), 3, 3),
		judged{"three", called(3, time.Second, unavailable), harness.Pass},
		judged{"two", called(2, time.Second, unavailable), harness.Fail},
		judged{"four", called(4, time.Second, unavailable), harness.Fail},
		judged{"one case of two", called(3, time.Second, unavailable).send("b@shim", harness.Request{Operation: harness.OpCall}, fine), harness.Fail},
		judged{"it never ended", open(), harness.Inconclusive},
	)
	judgeAll(t, Sends(Labelled("b@"), 0, 1), judged{"of another case", called(3, time.Second, unavailable), harness.Inconclusive})
	judgeAll(t, Connects(All(), 0, 2),
		judged{"two", called(2, time.Second, unavailable), harness.Pass},
		judged{"three", called(3, time.Second, unavailable), harness.Fail},
	)
}

func TestLasts(t *testing.T) {
	read := func(p harness.ClientPolicy) time.Duration { return p.Read.Std() }
	total := func(p harness.ClientPolicy) time.Duration { return p.Total.Std() }
	judgeAll(t, Lasts(All(), Span{From: read, To: total}),
		judged{"between", called(1, 7*time.Second, timedOut), harness.Pass},
		judged{"too short", called(1, 4*time.Second, timedOut), harness.Fail},
		judged{"too long", called(1, 11*time.Second, timedOut), harness.Fail},
		judged{"it never ended", open(), harness.Inconclusive},
	)
	judgeAll(t, Lasts(All(), Span{To: read}), judged{"no lower end", called(1, time.Second, fine), harness.Pass})
	judgeAll(t, Lasts(All(), Span{From: read}), judged{"no upper end", called(1, time.Hour, fine), harness.Pass})
}

func TestReturns(t *testing.T) {
	yes, no := true, false
	unsure := unavailable
	unsure.Retryable = &no
	judgeAll(t, Returns(All(), Outcome{Statuses: []int{503}, Code: "DEPENDENCY_UNAVAILABLE"}),
		judged{"as an error of the client", called(3, time.Second, unavailable), harness.Pass},
		judged{"as an answer of a gateway", called(3, time.Second, harness.Answer{Status: 503, Code: "DEPENDENCY_UNAVAILABLE"}), harness.Pass},
		judged{"another code", called(3, time.Second, harness.Answer{Status: 503, Code: "BUSY"}), harness.Fail},
		judged{"another status", called(3, time.Second, timedOut), harness.Fail},
		judged{"nothing came back", func() *story { s := newStory(); return s.lose(s.asks("a@shim", 1)) }(), harness.Fail},
	)
	judgeAll(t, Returns(All(), Outcome{Failure: true}),
		judged{"an error", called(1, time.Second, timedOut), harness.Pass},
		judged{"a success", called(1, time.Second, fine), harness.Fail},
		judged{"nothing came back", func() *story { s := newStory(); return s.lose(s.asks("a@shim", 1)) }(), harness.Inconclusive},
	)
	judgeAll(t, Returns(All(), Outcome{Response: true, Statuses: []int{200}}),
		judged{"the response", called(1, time.Second, fine), harness.Pass},
		judged{"an error", called(1, time.Second, unavailable), harness.Fail},
	)
	judgeAll(t, Returns(All(), Outcome{Cancelled: true}),
		judged{"cancelled", called(1, time.Second, cancelled), harness.Pass},
		judged{"a timeout", called(1, time.Second, timedOut), harness.Fail},
	)
	judgeAll(t, Returns(All(), Outcome{Statuses: []int{503}, Retryable: &yes}),
		judged{"not retryable", called(1, time.Second, unsure), harness.Fail},
		judged{"not said", called(1, time.Second, unavailable), harness.Fail},
	)
}
