package check

import (
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// MarkOffset is noted by a scenario that moved the target's clock: count.ms is
// how far it is ahead of where it was at the start, from here on.
const MarkOffset = "clock-offset"

// targetClock tells by how much the target's clock had been moved at an event.
type targetClock []harness.Event

func targetClockOf(h *harness.History) (c targetClock) {
	for e := range h.Events() {
		if e.Type == harness.MarkEvent && e.Mark.Name == MarkOffset {
			c = append(c, e)
		}
	}
	return c
}

// moved returns by how much the target's clock was ahead at an event.
func (c targetClock) moved(e harness.Event) (offset time.Duration) {
	for _, m := range c {
		if m.Seq < e.Seq {
			offset = time.Duration(m.Mark.Count["ms"]) * time.Millisecond
		}
	}
	return offset
}

// at returns the target's time at an event, counted from the start of the
// history: what was waited for counts as well as what was moved.
func (c targetClock) at(e harness.Event) time.Duration { return c.moved(e) + e.At }

// credentialsExpired reports whether an attempt was not let in while the clock was
// ahead. Credentials end by that clock too, so this tells nothing of the request.
func credentialsExpired(c targetClock, a attempt) bool {
	return a.answered() && a.Done.Answer.Status == 401 && c.moved(a.Invoke) > 0
}

// answeredInTime is passed for an answer that tells something of the request.
func answeredInTime(h *harness.History, c targetClock, a attempt) harness.Verdict {
	name := label(h, a.Invoke.Case)
	switch {
	case !a.answered():
		return harness.Undecided("no answer in case "+name+": "+a.Done.Error, a.witness())
	case credentialsExpired(c, a):
		return harness.Undecided(fmt.Sprintf("the moved clock expired the credentials (case %s, %s ahead): %s; give the principals ones that live for longer than that, or that are renewed",
			name, rounded(c.moved(a.Invoke)), statusText(a)), a.witness())
	}
	return harness.Passed("answered")
}
