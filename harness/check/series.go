package check

import (
	"strings"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// seriesCall is one call of a series that is not decided yet.
type seriesCall struct {
	number   int
	kase     string
	at       string // the address that it called, where callers have one each
	seq      int64  // of its start, then of its return
	start    time.Duration
	end      time.Duration // 0 until it has returned
	answer   *harness.Answer
	problem  string // what the caller saw instead of an answer
	unsent   bool   // the tool did not get to it
	met      bool   // a request of it met the fault
	conns    []connKey
	returned bool
}

// connKey names a connection: they are numbered by case.
type connKey struct {
	kase string
	id   int64
}

// place is where a call went: a case, and of it an address where callers have one
// each.
type place struct{ kase, at string }

// openCalls are the calls of a series that are under way or were a short time
// ago, in order of their start. Everything else is forgotten, so that judging
// needs no memory that grows with the series.
type openCalls struct {
	window time.Duration // how long a call is kept after its return: what belongs to it is told by then
	by     map[int]*seriesCall
	queue  []*seriesCall
	decide func(*seriesCall)
	places map[place][]*seriesCall // the same, by where they called
}

func newOpenCalls(window time.Duration, decide func(*seriesCall)) *openCalls {
	return &openCalls{window: window, by: map[int]*seriesCall{}, decide: decide, places: map[place][]*seriesCall{}}
}

// sawCall takes the start or the return of a call that counts.
func (o *openCalls) sawCall(e harness.Event) {
	n := harness.CallNumber(e.Op)
	if e.Type == harness.Invoke {
		c := &seriesCall{number: n, kase: e.Case, at: e.Request.At, seq: e.Seq, start: e.At}
		o.by[n] = c
		o.queue = append(o.queue, c)
		o.places[place{c.kase, c.at}] = append(o.places[place{c.kase, c.at}], c)
		return
	}
	c := o.by[n]
	if c == nil {
		return // a return without a start: the count will be short
	}
	c.seq, c.end, c.returned = e.Seq, e.At, true
	c.answer, c.problem, c.unsent = e.Answer, e.Error, e.Type == harness.Failure
}

// forget decides the calls whose time is over.
func (o *openCalls) forget(now time.Duration) {
	done := 0
	for _, c := range o.queue {
		if !c.returned || now < c.end+o.window {
			break
		}
		o.drop(c)
		done++
	}
	o.queue = o.queue[done:]
}

// finish decides all that are left.
func (o *openCalls) finish() {
	for _, c := range o.queue {
		o.drop(c)
	}
	o.queue = nil
}

func (o *openCalls) drop(c *seriesCall) {
	delete(o.by, c.number)
	here := place{c.kase, c.at}
	if o.places[here] = o.places[here][1:]; len(o.places[here]) == 0 { // calls leave in the order in which they came
		delete(o.places, here)
	}
	o.decide(c)
}

// inCrowd reports whether the event is of a call of that crowd.
func inCrowd(e harness.Event, crowd string) bool {
	switch e.Type {
	case harness.Invoke, harness.OK, harness.Info, harness.Failure:
		name, _, _ := strings.Cut(e.Op, "-")
		return name == crowd
	}
	return false
}

// toldLate is how long after something happened it may be recorded.
const toldLate = 5 * time.Second
