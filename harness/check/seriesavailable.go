package check

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// OpProbe is the name of the requests of a series about availability.
const OpProbe = "probe"

// availableIn is how long an answer may take at most, beyond the checkout's own
// deadline, before the service counts as not available.
const availableIn = 500 * time.Millisecond

// Available counts the probes of a series that found the service unavailable: no
// connection, no answer, one with a 5xx status, or one later than the checkout's
// deadline and half a second after it was due. A 4xx is an answer. Probes that
// were due in declared maintenance do not count; how many is told.
func Available(h *harness.History) harness.Measured {
	limit := h.Header.Policy.Checkout.Deadline.Std() + availableIn
	var t seriesTally
	t.expected = fmt.Sprintf("get an answer other than 5xx within %s", seconds(limit))
	unsent, excluded := 0, 0
	var first, last time.Duration
	for e := range h.Events() {
		name, _, _ := strings.Cut(e.Op, "-")
		if name != OpProbe || e.Request == nil || e.Type == harness.Invoke {
			continue
		}
		due := e.Request.Due
		if due == 0 {
			unsent++
			continue
		}
		if first == 0 {
			first = due
		}
		last = max(last, due)
		if inMaintenance(h.Header, due) {
			excluded++
			continue
		}
		t.counted++
		switch took := e.At - due; {
		case e.Type != harness.OK:
			t.violate(e.Seq, "no answer: "+e.Error)
		case e.Answer.Status >= 500:
			t.violate(e.Seq, fmt.Sprintf("status %d %s", e.Answer.Status, e.Answer.Code))
		case took > limit:
			t.violate(e.Seq, "an answer after "+seconds(took))
		}
	}
	t.gross = t.violations // no lag of ours makes a 5xx, or takes half a minute
	t.doubt(unsent, "%d probes were not due at any time", unsent)
	m := t.claim(h)
	m.Verdict = NoLooser(LimitDeadline, func(*harness.History) harness.Verdict { return m.Verdict })(headerOnly(h))
	if m.Outcome == harness.Pass || m.Outcome == harness.Fail {
		m.Reason += fmt.Sprintf("; the window is %s long, which is no month: nothing is claimed beyond it", seconds(last-first))
		if excluded > 0 {
			m.Reason += fmt.Sprintf("; %d probes were due in declared maintenance and are left out", excluded)
		}
	}
	return m
}

// inMaintenance reports whether the run's time lies in a declared window.
func inMaintenance(h harness.Header, at time.Duration) bool {
	return slices.ContainsFunc(h.Maintenance, func(m harness.Maintenance) bool { return m.Covers(h.Started.Add(at)) })
}
