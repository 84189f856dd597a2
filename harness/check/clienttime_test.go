package check

import (
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// paced is a story under the limits of the requirements.
func paced() *story {
	s := newStory()
	s.header.Policy = harness.RequiredPolicy()
	return s
}

// probes is asks for a POST that may be sent once only.
func (s *story) probes(c string, at time.Duration) string {
	op := s.invoke(c, harness.Request{Operation: harness.OpCall, Method: "POST", Path: "/"})
	s.at(at)
	return op
}

// leaves is a request at the peer that the client gave up on at to.
func (s *story) leaves(c string, conn int64, from, to time.Duration) *story {
	s.arrives(c, conn, from, to, 0)
	s.events[len(s.events)-1].Call.Outcome = harness.CallPeerLeft
	return s
}

// answers is a request at the peer that got its answer at to.
func (s *story) answers(c string, conn int64, from, to time.Duration, status int) *story {
	s.arrives(c, conn, from, to, status)
	s.events[len(s.events)-1].Call.Outcome = harness.CallAnswered
	return s
}

// watched is until when the peer of the case was watched.
func (s *story) watched(c string, at time.Duration) *story {
	return s.mark(c, harness.MarkWatchedPeer).at(at)
}

// returns is answer at a time.
func (s *story) returns(op string, at time.Duration, a harness.Answer) *story {
	return s.answer(op, a).at(at)
}

const sec = time.Second

func TestAttemptLasts(t *testing.T) {
	read := AttemptLasts(All(), 1, Around(ReadLimit))
	attempt := func(d, call time.Duration) *story {
		s := paced()
		op := s.probes("a@shim", sec)
		return s.leaves("a@shim", 1, sec, sec+d).returns(op, sec+call, timedOut)
	}
	judgeAll(t, read,
		judged{"at the limit", attempt(5*sec, 5*sec), harness.Pass},
		judged{"twice as long", attempt(10*sec, 10*sec), harness.Fail},
		judged{"too short", attempt(3*sec, 3*sec), harness.Fail},
		judged{"the peer saw it late", func() *story {
			s := paced()
			op := s.probes("a@shim", sec)
			return s.leaves("a@shim", 1, sec+120*ms, 6*sec).returns(op, 6*sec, timedOut)
		}(), harness.Pass},
		judged{"the peer sees it end, the caller waits on", attempt(5*sec, 9*sec), harness.Fail},
		judged{"the caller is told, the attempt goes on", attempt(9*sec, 5*sec), harness.Fail},
		judged{"nothing was sent", func() *story { s := paced(); return s.returns(s.asks("a@shim", sec), 6*sec, timedOut) }(), harness.Inconclusive},
		judged{"it never ended", open(), harness.Inconclusive},
	)
	second := func(d time.Duration) *story {
		s := paced()
		op := s.asks("a@shim", sec)
		s.answers("a@shim", 1, sec, 3*sec, 503).leaves("a@shim", 2, 3200*time.Millisecond, 3200*time.Millisecond+d)
		return s.returns(op, 9*sec, timedOut)
	}
	judgeAll(t, AttemptLasts(All(), 2, Around(ReadLimit)),
		judged{"the second has its own limit", second(5 * sec), harness.Pass},
		judged{"the limit counts from the start of the call", second(2800 * time.Millisecond), harness.Fail},
		judged{"there was no second", attempt(5*sec, 5*sec), harness.Inconclusive},
	)
}

func TestQuietAfterReturn(t *testing.T) {
	long := func(p harness.ClientPolicy) time.Duration { return 15 * sec }
	call := func(until time.Duration) *story {
		s := paced()
		op := s.asks("a@shim", sec)
		return s.leaves("a@shim", 1, sec, 6*sec).leaves("a@shim", 2, 6*sec, 11*sec).returns(op, 11*sec, timedOut).watched("a@shim", until)
	}
	judgeAll(t, QuietAfterReturn(All(), long),
		judged{"quiet", call(16 * sec), harness.Pass},
		judged{"a request in the background", call(16*sec).leaves("a@shim", 3, 12*sec, 13*sec), harness.Fail},
		judged{"a connection in the background", call(16*sec).connection("a@shim", 3, 14*sec, 15*sec, harness.ByCaller, 0), harness.Fail},
		judged{"it shows, however short the watch", call(13*sec).leaves("a@shim", 3, 12*sec, 13*sec), harness.Fail},
		judged{"not watched for long enough", call(13 * sec), harness.Inconclusive},
		judged{"not watched", func() *story { s := paced(); return s.returns(s.asks("a@shim", sec), 6*sec, timedOut) }(), harness.Inconclusive},
		judged{"given up while it went on", func() *story {
			s := paced()
			return s.lose(s.asks("a@shim", sec)).leaves("a@shim", 1, 20*sec, 21*sec).watched("a@shim", 30*sec)
		}(), harness.Inconclusive},
		judged{"it never ended", open(), harness.Inconclusive},
	)
	judgeAll(t, NothingLater(All(), TotalLimit, long),
		judged{"in time", call(16 * sec), harness.Pass},
		judged{"an attempt at the deadline", call(16*sec).leaves("a@shim", 3, 11*sec+100*time.Millisecond, 12*sec), harness.Fail},
		judged{"not watched for long enough", call(13 * sec), harness.Inconclusive},
	)
}

func TestClosedAfterReturn(t *testing.T) {
	call := func(ends, closes time.Duration, by string) *story {
		s := paced()
		op := s.asks("a@shim", sec)
		s.leaves("a@shim", 1, sec, ends).returns(op, 11*sec, timedOut)
		return s.connection("a@shim", 1, sec, closes, by, 1)
	}
	judgeAll(t, ClosedAfterReturn(All()),
		judged{"closed at once", call(11*sec, 11*sec, harness.ByCaller), harness.Pass},
		judged{"closed within the time for cleanup", call(11400*time.Millisecond, 11400*time.Millisecond, harness.ByCaller), harness.Pass},
		judged{"the exchange goes on", call(14*sec, 14*sec, harness.ByCaller), harness.Fail},
		judged{"the connection stays", call(11*sec, 14*sec, harness.ByPeer), harness.Fail},
		judged{"the exchange goes on until the peer ends it", func() *story {
			s := paced()
			return s.arrives("a@shim", 1, sec, 16*sec, 0).returns(s.asks("a@shim", sec), 11*sec, timedOut)
		}(), harness.Fail},
		judged{"the peer ended it too early to tell", func() *story {
			s := paced()
			return s.arrives("a@shim", 1, sec, 11200*time.Millisecond, 0).returns(s.asks("a@shim", sec), 11*sec, timedOut)
		}(), harness.Inconclusive},
		judged{"an idle connection may stay", call(11*sec, 11*sec, harness.ByCaller).answers("a@shim", 9, sec-1, 2*sec, 503).connection("a@shim", 9, sec, 20*sec, harness.ByPeer, 1), harness.Pass},
		judged{"a request in the background is another fault", call(11*sec, 11*sec, harness.ByCaller).leaves("a@shim", 9, 12*sec, 14*sec), harness.Pass},
		judged{"given up while it went on", func() *story {
			s := paced()
			return s.leaves("a@shim", 1, sec, 11*sec).lose(s.asks("a@shim", sec)).at(11*sec).connection("a@shim", 1, sec, 11*sec, harness.ByCaller, 1)
		}(), harness.Inconclusive},
		judged{"nothing was under way", called(3, sec, unavailable), harness.Inconclusive},
		judged{"nothing was sent", called(0, sec, unavailable), harness.Inconclusive},
		judged{"it never ended", open(), harness.Inconclusive},
	)
}

func TestConnectionsLeft(t *testing.T) {
	call := func(watched time.Duration, closed ...time.Duration) *story {
		s := paced()
		op := s.probes("a@shim", sec)
		for i, at := range closed {
			s.connection("a@shim", int64(i+1), sec, at, harness.ByCaller, 0)
		}
		return s.returns(op, 3*sec, unavailable).watched("a@shim", watched)
	}
	judgeAll(t, ConnectionsLeft(All(), 1),
		judged{"all closed", call(5*sec, 3*sec, 3*sec), harness.Pass},
		judged{"one idle", call(5*sec, 3*sec, 6*sec), harness.Pass},
		judged{"two left", call(5*sec, 6*sec, 6*sec), harness.Fail},
		judged{"no time to close", call(3*sec, 6*sec), harness.Inconclusive},
		judged{"nobody connected", call(5 * sec), harness.Inconclusive},
		judged{"it never ended", open(), harness.Inconclusive},
	)
}

func TestSocketsBack(t *testing.T) {
	call := func(counts ...int64) *story {
		s := paced()
		for i, n := range counts {
			s.add(harness.Event{Type: harness.MarkEvent, Case: "t/s/a@shim", Mark: &harness.Mark{Name: harness.MarkSockets, Count: map[string]int64{"sockets": n}}})
			if i == 0 {
				for range 3 {
					s.send("a@shim", harness.Request{Operation: harness.OpCall}, unavailable)
				}
			}
		}
		return s
	}
	judgeAll(t, SocketsBack(All(), 3, 2),
		judged{"as before", call(4, 4), harness.Pass},
		judged{"two idle", call(4, 6), harness.Pass},
		judged{"fewer", call(4, 1), harness.Pass},
		judged{"one each call", call(4, 7), harness.Fail},
		judged{"counted once", call(4), harness.Inconclusive},
		judged{"not counted", called(3, sec, unavailable), harness.Inconclusive},
	)
	judgeAll(t, SocketsBack(All(), 4, 2), judged{"too few calls", call(4, 4), harness.Inconclusive})
}
