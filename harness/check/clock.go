package check

import (
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

// at returns the target's time at an event, counted from the start of the
// history: what was waited for counts as well as what was moved.
func (c targetClock) at(e harness.Event) time.Duration {
	var offset time.Duration
	for _, m := range c {
		if m.Seq < e.Seq {
			offset = time.Duration(m.Mark.Count["ms"]) * time.Millisecond
		}
	}
	return offset + e.At
}
