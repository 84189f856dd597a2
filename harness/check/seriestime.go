package check

import (
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// EndsInTime counts the calls of a series that end too late: later than the
// total limit and its cleanup, or with a socket of a faulted exchange that is
// still open then. Each call has to have met the fault.
func EndsInTime(h *harness.History) harness.Measured {
	t := newTimeliness(h.Header.Policy.Client.Total.Std() + Cleanup)
	for e := range h.Events() {
		t.saw(e)
	}
	t.calls.finish()
	t.conclude()
	m := t.claim(h)
	m.Verdict = NoLooser(LimitTotal, func(*harness.History) harness.Verdict { return m.Verdict })(headerOnly(h))
	return m
}

// headerOnly returns a history with the header alone and one call: all that
// [NoLooser] looks at, which must not gather the calls of a series.
func headerOnly(h *harness.History) *harness.History {
	return harness.NewHistory(h.Header, harness.Event{Type: harness.Invoke, Op: "call-1", Request: &harness.Request{}})
}

type timeliness struct {
	seriesTally
	limit time.Duration
	calls *openCalls
	late  map[int]bool
	conns map[connKey]*seriesCall // of faulted exchanges, until they close
	doors map[string]*doorCount   // cases whose fault is met by who connects

	unmade, unmet, unclear int
	byTime                 int // connections that only their time attributes to calls, not the address that was called
	lastStart, watched     time.Duration
	lag                    int64 // worst, in ms
}

func newTimeliness(limit time.Duration) *timeliness {
	t := &timeliness{limit: limit, late: map[int]bool{}, conns: map[connKey]*seriesCall{}, doors: map[string]*doorCount{}}
	t.expected = fmt.Sprintf("end within %s, sockets closed", seconds(limit))
	t.calls = newOpenCalls(limit+toldLate, t.decide)
	return t
}

// doorCount compares the calls of a case with the connections that its door met.
type doorCount struct{ calls, conns int }

func (t *timeliness) saw(e harness.Event) {
	defer t.calls.forget(e.At)
	switch {
	case inCrowd(e, harness.CrowdCounted):
		if e.Type == harness.Invoke {
			t.lastStart = max(t.lastStart, e.At)
			if d := t.doors[e.Case]; d != nil {
				d.calls++
			}
		}
		t.calls.sawCall(e)
	case e.Type == harness.FaultEvent && e.Fault.Stage == harness.FaultPlanned && atDoor(e.Fault.Fault):
		t.doors[e.Case] = &doorCount{}
	case e.Type == harness.CallEvent && e.Call.Link == harness.LinkDependency:
		t.sawExchange(e)
	case e.Type == harness.ConnEvent:
		t.sawClosed(e)
	case e.Type == harness.MarkEvent && e.Mark.Name == harness.MarkWatchedPeer:
		t.watched = e.At
	case e.Type == harness.MarkEvent && e.Mark.Name == harness.MarkLag:
		t.lag = e.Mark.Count["worstMs"]
	}
}

// atDoor reports whether a fault of that name is met by whoever connects.
func atDoor(fault string) bool {
	for _, kind := range []harness.DoorKind{harness.DoorFull, harness.DoorSilent} {
		if fault == harness.LinkDependency+":"+string(kind) {
			return true
		}
	}
	return false
}

// sawExchange takes an exchange that is over. One of a call that was decided
// before was still open then, when its time had long been over.
func (t *timeliness) sawExchange(e harness.Event) {
	n := harness.CallNumber(e.Call.Path)
	if n == 0 {
		return
	}
	c := t.calls.by[n]
	if c == nil {
		if !t.late[n] && e.Call.Outcome != harness.CallAnswered {
			open := e.Call.Ended - e.Call.Started
			t.beLate(n, e.Seq, open, "an exchange was still open "+seconds(open)+" after its request")
		}
		return
	}
	c.met = c.met || e.Call.Fault != ""
	if e.Call.Outcome == harness.CallAnswered {
		return
	}
	if after := e.Call.Ended - c.start; after > t.limit {
		t.beLate(n, e.Seq, after, "an exchange was still open "+seconds(after)+" after the call began")
	}
	key := connKey{e.Case, e.Call.Conn}
	t.conns[key] = c
	c.conns = append(c.conns, key)
}

// sawClosed takes the end of a connection. One without a request in full can be
// anybody's who was calling at the time; it is judged if it makes no difference
// whose it is.
func (t *timeliness) sawClosed(e harness.Event) {
	key := connKey{e.Case, e.Conn.ID}
	if d := t.doors[e.Case]; d != nil {
		d.conns++
	}
	if c := t.conns[key]; c != nil {
		delete(t.conns, key)
		if after := e.Conn.Closed - c.start; after > t.limit {
			t.beLate(c.number, e.Seq, after, "a socket was open until "+seconds(after)+" after the call began")
		}
		return
	}
	if e.Conn.Requests > 0 {
		return // of exchanges that were answered: kept for the next
	}
	if e.Conn.At == "" {
		t.byTime++
	}
	first, last := t.callersAt(place{e.Case, e.Conn.At}, e.Conn.Opened)
	open := e.Conn.Closed - e.Conn.Opened
	switch {
	case last != nil && first == last && e.Conn.Closed > last.start+t.limit:
		t.beLate(last.number, e.Seq, open, "a connection without a request was open for "+seconds(open))
	case open > t.limit, last != nil && e.Conn.Closed > last.start+t.limit:
		t.grow(open)
		t.violate(e.Seq, "a connection without a request was open for "+seconds(open))
	case first == nil || e.Conn.Closed > first.start+t.limit:
		t.unclear++
	}
}

// attributedWithin is how much later than it came a connection may be seen.
const attributedWithin = 500 * time.Millisecond

// callersAt returns the first and the last of the calls that went there, began by
// then and had not returned.
func (t *timeliness) callersAt(where place, at time.Duration) (first, last *seriesCall) {
	for _, c := range t.calls.places[where] {
		if c.start > at {
			break
		}
		if c.returned && c.end < at-attributedWithin {
			continue
		}
		if first == nil {
			first = c
		}
		last = c
	}
	return first, last
}

func (t *timeliness) beLate(number int, seq int64, lasted time.Duration, example string) {
	if !t.late[number] {
		t.late[number] = true
		t.grow(lasted)
		t.violate(seq, fmt.Sprintf("call %d, of which %s", number, example))
	}
}

// grow counts a violation by as much again as there was time. A machine that is
// late by a small part of that is no excuse for it.
func (t *timeliness) grow(lasted time.Duration) {
	if lasted > 2*t.limit {
		t.gross++
	}
}

// decide counts a call once nothing more is told of it.
func (t *timeliness) decide(c *seriesCall) {
	for _, key := range c.conns {
		if t.conns[key] != nil {
			delete(t.conns, key)
			t.beLate(c.number, c.seq, 0, "a socket was not seen to close in time")
		}
	}
	took := c.end - c.start
	switch {
	case c.returned && !c.unsent && took > t.limit:
		t.counted++
		t.beLate(c.number, c.seq, took, "the caller had to wait "+seconds(took))
	case c.answer == nil:
		t.unmade++
		return
	default:
		t.counted++
	}
	if d := t.doors[c.kase]; d != nil {
		c.met = c.answer == nil || c.answer.Outcome != "" // nobody gets a response through it
	}
	if !c.met {
		t.unmet++
	}
}

func (t *timeliness) conclude() {
	t.doubt(t.unmade, "%d calls brought neither a response nor an error of the client: its shim or the run failed", t.unmade)
	t.doubt(t.unmet, "%d calls did not meet the fault", t.unmet)
	for _, d := range t.doors {
		t.doubt(d.calls-d.conns, "%d calls met the door, and only %d connections were seen there", d.calls, d.conns)
	}
	t.doubt(t.unclear, "%d connections without a request may have been open too long, depending on whose they were", t.unclear)
	if t.lastStart > 0 && t.watched < t.lastStart+t.limit {
		t.doubt(1, "the dependency was not watched until the last calls had to be over")
	}
	if 10*t.lag > t.limit.Milliseconds() {
		t.gross = 0
	}
	if t.lag > attributedWithin.Milliseconds() {
		t.doubt(t.byTime, "the harness was up to %d ms late, so that it does not know whose some connections were", t.lag)
	}
}
