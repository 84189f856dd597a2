package check

import (
	"fmt"
	"slices"

	"github.com/oncecheck/oncecheck/harness"
)

// outboxReadings returns the marks of the readings that came to rest.
func outboxReadings(h *harness.History) []harness.Event {
	var read []harness.Event
	for e := range h.Events() {
		if e.Type == harness.MarkEvent && e.Mark.Name == harness.MarkOutbox {
			read = append(read, e)
		}
	}
	return read
}

// readBefore returns the readings before a moment.
func readBefore(moment int64, read []harness.Event) []harness.Event {
	i := slices.IndexFunc(read, func(e harness.Event) bool { return e.Seq > moment })
	if i < 0 {
		return read
	}
	return read[:i]
}

// lastCount returns what the last of the readings counted.
func lastCount(read []harness.Event, what string) int64 {
	if len(read) == 0 {
		return 0
	}
	return read[len(read)-1].Mark.Count[what]
}

// unclaimed says what to do about entries of nobody. Those that came with the
// replays may be theirs, so nobody is told to put them down to others.
func unclaimed(begun int64, read []harness.Event) string {
	text := fmt.Sprintf("%d entries belong to no request of the run; let each carry the correlation id of its request, or the id of the request, order or cart as aggregateId", lastCount(read, harness.OutboxStrays))
	if lastCount(readBefore(begun, read), harness.OutboxStrays) > 0 {
		text += "; if somebody else uses this outbox, say effects.shared: true"
	}
	return text
}

func eventText(e harness.Event) string {
	return fmt.Sprintf("%s, event %s, at position %d of the outbox", e.Outbox.Type, e.Outbox.EventID, e.Outbox.Position)
}
