package check

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// seriesStory tells of a series of calls, each with silent requests.
type seriesStory struct {
	header    harness.Header
	events    []harness.Event
	addressed bool // each call has an address of its own
}

func (s *seriesStory) at(n int) string {
	if !s.addressed {
		return ""
	}
	return fmt.Sprintf("127.1.0.%d", n)
}

func newSeries(n int) *seriesStory {
	return &seriesStory{header: harness.Header{Requirements: "srs", Policy: harness.RequiredPolicy(),
		NFR: &harness.Preregistered{Threshold: 0.5, Confidence: 0.95, N: n}}}
}

func (s *seriesStory) add(e harness.Event) { s.events = append(s.events, e) }

func (s *seriesStory) judge(of func(*harness.History) harness.Measured) harness.Measured {
	return of(harness.NewHistory(s.header, s.events...))
}

func (s *seriesStory) door(fault string) {
	s.add(harness.Event{Type: harness.FaultEvent, Case: "a", Fault: &harness.FaultRecord{Fault: fault, Stage: harness.FaultPlanned}})
}

func (s *seriesStory) begin(name string, n int, at time.Duration) {
	s.add(harness.Event{Type: harness.Invoke, At: at, Case: "a", Op: fmt.Sprintf("%s-%d", name, n), Request: &harness.Request{At: s.at(n)}})
}

func (s *seriesStory) end(name string, n int, at time.Duration, a harness.Answer) {
	s.add(harness.Event{Type: harness.OK, At: at, Case: "a", Op: fmt.Sprintf("%s-%d", name, n), Request: &harness.Request{}, Answer: &a})
}

func (s *seriesStory) broken(n int, at time.Duration, why string) {
	s.add(harness.Event{Type: harness.Info, At: at, Case: "a", Op: fmt.Sprintf("call-%d", n), Request: &harness.Request{}, Error: why})
}

func (s *seriesStory) exchange(n int, conn int64, from, to time.Duration, outcome harness.CallOutcome) {
	s.add(harness.Event{Type: harness.CallEvent, At: to, Case: "a", Call: &harness.Call{Link: harness.LinkDependency, Conn: conn,
		Path: fmt.Sprintf("/items/sku-x.%d", n), Outcome: outcome, Fault: "dependency#1+:silent", Started: from, Ended: to}})
}

func (s *seriesStory) silent(n int, conn int64, from, to time.Duration, by string) {
	s.exchange(n, conn, from, to, harness.CallPeerLeft)
	s.closed(conn, 1, from, to, by)
}

func (s *seriesStory) closed(conn int64, requests int, from, to time.Duration, by string) {
	s.add(harness.Event{Type: harness.ConnEvent, At: to, Case: "a", Conn: &harness.Connection{ID: conn, Opened: from, Closed: to, Requests: requests, By: by}})
}

func (s *seriesStory) watched(at time.Duration) {
	s.add(harness.Event{Type: harness.MarkEvent, At: at, Mark: &harness.Mark{Name: harness.MarkWatchedPeer}})
}

const over = time.Hour // the watch ends then

// good adds calls that all last 10 s, each begun a second after the one before.
func (s *seriesStory) good(n int) {
	for i := range n {
		at := time.Duration(i) * sec
		s.begin("call", i+1, at)
		s.silent(i+1, int64(2*i+1), at, at+5*sec, harness.ByCaller)
		s.silent(i+1, int64(2*i+2), at+5*sec, at+10*sec, harness.ByCaller)
		s.end("call", i+1, at+10*sec, timedOut)
	}
}

func TestEndsInTime(t *testing.T) {
	for _, c := range []struct {
		name          string
		tell          func(s *seriesStory)
		want          harness.Outcome
		n, violations int
		reason        string
	}{
		{"all in time", func(s *seriesStory) { s.good(6); s.watched(over) }, harness.Pass, 6, 0, "0 of 6"},
		{"nothing at all", func(*seriesStory) {}, harness.Inconclusive, 0, 0, "no call"},
		{"too few", func(s *seriesStory) { s.good(5); s.watched(over) }, harness.Inconclusive, 5, 0, "5 calls count, and 6 were planned"},
		{"one is late", func(s *seriesStory) {
			s.good(5)
			s.begin("call", 6, 10*sec)
			s.silent(6, 90, 10*sec, 20*sec, harness.ByCaller)
			s.end("call", 6, 20*sec+501*time.Millisecond, timedOut)
			s.watched(over)
		}, harness.Fail, 6, 1, "had to wait 10.501 s"},
		{"a socket is left open", func(s *seriesStory) {
			s.good(5)
			s.begin("call", 6, 10*sec)
			s.end("call", 6, 20*sec, timedOut)
			s.silent(6, 90, 10*sec, 20*sec+501*time.Millisecond, harness.ByCaller)
			s.watched(over)
		}, harness.Fail, 6, 1, "still open 10.501 s"},
		{"a socket is closed only by us", func(s *seriesStory) {
			s.begin("call", 6, 0)
			s.end("call", 6, 10*sec, timedOut)
			s.good(5)
			s.watched(over)
			s.silent(6, 90, 5*sec, over, harness.ByPeer)
		}, harness.Fail, 6, 1, "still open"},
		{"a socket outlives its exchange", func(s *seriesStory) {
			s.good(5)
			s.begin("call", 6, 10*sec)
			s.end("call", 6, 20*sec, timedOut)
			s.exchange(6, 90, 15*sec, 20*sec, harness.CallPeerLeft)
			s.watched(over)
			s.closed(90, 1, 15*sec, over, harness.ByPeer)
		}, harness.Fail, 6, 1, "not seen to close in time"},
		{"a kept connection is no leak", func(s *seriesStory) {
			s.begin("call", 6, 0)
			s.exchange(6, 90, sec, 8*sec, harness.CallAnswered)
			s.end("call", 6, 8*sec, timedOut)
			s.good(5)
			s.watched(over)
			s.closed(90, 1, sec, over, harness.ByPeer)
		}, harness.Pass, 6, 0, ""},
		{"one did not meet the fault", func(s *seriesStory) {
			s.good(5)
			s.begin("call", 6, 10*sec)
			s.end("call", 6, 10*sec, timedOut)
			s.watched(over)
		}, harness.Inconclusive, 6, 0, "1 calls did not meet the fault"},
		{"the shim failed", func(s *seriesStory) {
			s.good(5)
			s.begin("call", 6, 10*sec)
			s.broken(6, 11*sec, "status 500")
			s.watched(over)
		}, harness.Inconclusive, 5, 0, "its shim or the run failed"},
		{"the client gave nothing back", func(s *seriesStory) {
			s.good(5)
			s.begin("call", 6, 10*sec)
			s.broken(6, 35*sec, "nothing within 25 s")
			s.watched(over)
		}, harness.Fail, 6, 1, "had to wait 25.000 s"},
		{"nobody watched the last calls", func(s *seriesStory) { s.good(6); s.watched(15 * sec) }, harness.Inconclusive, 6, 0, "not watched"},
		{"a looser policy", func(s *seriesStory) {
			s.header.Policy.Client.Total = harness.Duration(11 * sec)
			s.good(6)
			s.watched(over)
		}, harness.Fail, 6, 0, "total 10s or less"},
		{"nothing was planned", func(s *seriesStory) { s.header.NFR = nil; s.good(6); s.watched(over) }, harness.Inconclusive, 6, 0, "nothing was planned"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSeries(6)
			c.tell(s)
			m := s.judge(EndsInTime)
			if m.Outcome != c.want || m.N != c.n || m.Violations != c.violations || !strings.Contains(m.Reason, c.reason) {
				t.Errorf("%s, %d of %d: %s; want %s, %d of %d, %q", m.Outcome, m.Violations, m.N, m.Reason, c.want, c.violations, c.n, c.reason)
			}
		})
	}
}

// hung adds calls, each begun a second after the one before, whose dials last so
// long and never get through.
func (s *seriesStory) hung(calls int, dials ...time.Duration) {
	for i := range calls {
		at := time.Duration(i) * sec
		s.begin("call", i+1, at)
		for k, life := range dials {
			from := at + time.Duration(k)*2200*time.Millisecond
			s.add(harness.Event{Type: harness.ConnEvent, At: from + life, Case: "a", Conn: &harness.Connection{ID: int64(10*i + k), Opened: from, Closed: from + life, By: harness.ByCaller, At: s.at(i + 1)}})
		}
		s.end("call", i+1, at+6500*time.Millisecond, timedOut)
	}
}

func TestEndsInTimeAtADoor(t *testing.T) {
	for _, c := range []struct {
		name       string
		tell       func(s *seriesStory)
		want       harness.Outcome
		violations int
		reason     string
	}{
		{"in time", func(s *seriesStory) { s.hung(6, 2*sec, 2*sec, 2*sec) }, harness.Pass, 0, ""},
		{"dials stay", func(s *seriesStory) { s.hung(6, 2*sec, 2*sec, 11*sec) }, harness.Fail, 6, "open for 11.000 s"},
		{"dials stay for a while", func(s *seriesStory) { s.hung(6, 2*sec, 2*sec, 5*sec) }, harness.Inconclusive, 0, "depending on whose they were"},
		{"dials stay for a while, each at an address of its own", func(s *seriesStory) {
			s.addressed = true
			s.hung(6, 2*sec, 2*sec, 5*sec)
		}, harness.Pass, 0, ""},
		{"dials stay too long, each at an address of its own", func(s *seriesStory) {
			s.addressed = true
			s.hung(6, 2*sec, 2*sec, 7*sec)
		}, harness.Fail, 6, "open for 7.000 s"},
		{"nobody dialled", func(s *seriesStory) { s.hung(6) }, harness.Inconclusive, 0, "only 0 connections"},
		{"the harness was late", func(s *seriesStory) {
			s.hung(6, 2*sec, 2*sec, 2*sec)
			s.add(harness.Event{Type: harness.MarkEvent, Mark: &harness.Mark{Name: harness.MarkLag, Count: map[string]int64{"worstMs": 800}}})
		}, harness.Inconclusive, 0, "800 ms late"},
		{"somebody got in", func(s *seriesStory) {
			s.hung(5, 2*sec, 2*sec, 2*sec)
			s.begin("call", 6, 0)
			s.closed(99, 0, 0, sec, harness.ByCaller)
			s.end("call", 6, sec, harness.Answer{Status: 200})
		}, harness.Inconclusive, 0, "did not meet the fault"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSeries(6)
			s.door("dependency:full")
			c.tell(s)
			s.watched(over)
			m := s.judge(EndsInTime)
			if m.Outcome != c.want || m.Violations != c.violations || !strings.Contains(m.Reason, c.reason) {
				t.Errorf("%s, %d of %d: %s; want %s, %d, %q", m.Outcome, m.Violations, m.N, m.Reason, c.want, c.violations, c.reason)
			}
		})
	}
}

// Lag of a second explains a call that is late by half of one, and none that is
// late by a minute.
func TestGrossLateness(t *testing.T) {
	for _, c := range []struct {
		took  time.Duration
		lag   int64
		gross int
	}{{11 * sec, 0, 0}, {60 * sec, 0, 1}, {60 * sec, 900, 1}, {60 * sec, 1900, 0}} {
		s := newSeries(6)
		s.good(5)
		s.begin("call", 6, 10*sec)
		s.silent(6, 90, 10*sec, 20*sec, harness.ByCaller)
		s.end("call", 6, 10*sec+c.took, timedOut)
		s.watched(over)
		s.add(harness.Event{Type: harness.MarkEvent, Mark: &harness.Mark{Name: harness.MarkLag, Count: map[string]int64{"worstMs": c.lag}}})
		if m := s.judge(EndsInTime); m.Violations != 1 || m.Gross != c.gross {
			t.Errorf("%s with a lag of %d ms: %d violations, %d of them gross, want 1 and %d", c.took, c.lag, m.Violations, m.Gross, c.gross)
		}
	}
}

// A long series leaves nothing behind in the judge.
func TestSeriesIsForgotten(t *testing.T) {
	const n = 5000
	judge := newTimeliness(10500 * time.Millisecond)
	s, most := newSeries(n), 0
	s.good(n)
	for _, e := range s.events {
		judge.saw(e)
		most = max(most, len(judge.calls.queue)+len(judge.calls.by)+len(judge.conns))
	}
	if most > 100 {
		t.Errorf("%d entries were kept at a time, where 10 calls are under way", most)
	}
}

func TestFallbacksServed(t *testing.T) {
	result := harness.Answer{Status: 200, BodySHA256: "r"}
	stored := harness.Answer{Status: 200, BodySHA256: "r", Header: map[string][]string{harness.SourceHeader: {harness.SourceFallback}}}
	for _, c := range []struct {
		name          string
		sixth, seed   harness.Answer
		met           bool
		want          harness.Outcome
		n, violations int
		reason        string
	}{
		{"served", stored, result, true, harness.Pass, 6, 0, "0 of 6"},
		{"refused instead", harness.Answer{Status: 503, Code: "DEPENDENCY_UNAVAILABLE"}, result, true, harness.Fail, 6, 1, "status 503"},
		{"not marked", result, result, true, harness.Fail, 6, 1, "status 200"},
		{"another result", harness.Answer{Status: 200, BodySHA256: "other", Header: stored.Header}, result, true, harness.Fail, 6, 1, "another result"},
		{"nothing was stored", stored, harness.Answer{Status: 503}, true, harness.Inconclusive, 5, 0, "no result was stored"},
		{"what was stored was itself a fallback", stored, stored, true, harness.Inconclusive, 5, 0, "no result was stored"},
		{"the dependency did not fail", stored, result, false, harness.Inconclusive, 5, 0, "nothing was owed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSeries(6)
			for n := 1; n <= 6; n++ {
				seed := result
				if n == 6 {
					seed = c.seed
				}
				s.begin(CrowdSeed, n, 0)
				s.end(CrowdSeed, n, sec, seed)
			}
			for n := 1; n <= 6; n++ {
				answer := stored
				if n == 6 {
					answer = c.sixth
				}
				s.begin("call", n, 2*sec)
				if n < 6 || c.met {
					s.silent(n, int64(n), 2*sec, 3*sec, harness.ByCaller)
				}
				s.end("call", n, 4*sec, answer)
			}
			m := s.judge(FallbacksServed)
			if m.Outcome != c.want || m.N != c.n || m.Violations != c.violations || !strings.Contains(m.Reason, c.reason) {
				t.Errorf("%s, %d of %d: %s; want %s, %d of %d, %q", m.Outcome, m.Violations, m.N, m.Reason, c.want, c.violations, c.n, c.reason)
			}
		})
	}
}
