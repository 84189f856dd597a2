package check

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// clientCase is what one case of a client under test shows: the calls it was
// asked to make, and what came of them at the scripted peer.
type clientCase struct {
	label string
	calls []attempt       // in order of invocation
	sent  []harness.Event // requests at the peer, in order of arrival
	conns []harness.Event // connections at the peer, in order of opening
	// watched is until when the peer was watched, 0 if nobody says so.
	watched time.Duration
}

// clientCases returns the picked cases by label, in that order. Cases that made
// no call are left out.
func clientCases(h *harness.History, pick Pick) []clientCase {
	by := map[string]*clientCase{}
	for _, a := range attempts(h, pick) {
		c := by[a.Invoke.Case]
		if c == nil {
			c = &clientCase{label: label(h, a.Invoke.Case)}
			by[a.Invoke.Case] = c
		}
		c.calls = append(c.calls, a)
	}
	for e := range h.Events() {
		c := by[e.Case]
		switch {
		case c == nil:
		case e.Type == harness.CallEvent && e.Call.Link == harness.LinkDependency:
			c.sent = append(c.sent, e)
		case e.Type == harness.ConnEvent:
			c.conns = append(c.conns, e)
		case e.Type == harness.MarkEvent && e.Mark.Name == harness.MarkWatchedPeer:
			c.watched = e.At
		}
	}
	list := make([]clientCase, 0, len(by))
	for _, id := range slices.Sorted(maps.Keys(by)) {
		c := by[id]
		slices.SortStableFunc(c.sent, func(a, b harness.Event) int { return cmp.Compare(a.Call.Started, b.Call.Started) })
		slices.SortStableFunc(c.conns, func(a, b harness.Event) int { return cmp.Compare(a.Conn.Opened, b.Conn.Opened) })
		list = append(list, *c)
	}
	return list
}

// ended returns why a call of the case cannot be judged, or "".
func (c clientCase) unended() string {
	for _, a := range c.calls {
		switch {
		case a.Done.Seq == 0:
			return "the call of case " + c.label + " never ended"
		case a.Done.Type != harness.OK && a.Done.Type != harness.Info:
			return "the call of case " + c.label + " was not made: " + a.Done.Error
		}
	}
	return ""
}

// took returns how long a call lasted for who asked for it.
func took(a attempt) time.Duration { return a.Done.At - a.Invoke.At }

// witnesses returns the calls, the requests and the connections of the case.
func (c clientCase) witnesses() []int64 {
	var seqs []int64
	for _, a := range c.calls {
		seqs = append(seqs, a.witness())
	}
	for _, e := range c.sent {
		seqs = append(seqs, e.Seq)
	}
	for _, e := range c.conns {
		seqs = append(seqs, e.Seq)
	}
	return seqs
}

// fail contrasts what had to be with what was in the case.
func (c clientCase) fail(expected, observed string) harness.Verdict {
	return harness.Failed(expected+" (case "+c.label+")", observed, c.witnesses()...)
}

// eachCase judges every picked case by itself: all have to hold, the first that
// does not decides, and a history without one decides nothing. What is asked of
// a case returns a pass with what it saw.
func eachCase(pick Pick, one func(h *harness.History, c clientCase) harness.Verdict) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		cases := clientCases(h, pick)
		if len(cases) == 0 {
			return harness.Undecided("no call of the client was made")
		}
		var verdicts []harness.Verdict
		for _, c := range cases {
			if why := c.unended(); why != "" {
				verdicts = append(verdicts, harness.Undecided(why, c.witnesses()...))
				continue
			}
			verdicts = append(verdicts, one(h, c))
		}
		v := harness.Merge(verdicts...)
		if v.Outcome == harness.Pass && len(cases) > 1 {
			v.Reason = fmt.Sprintf("%d cases, among them %s: %s", len(cases), cases[0].label, v.Reason)
		}
		return v
	}
}
