package check

import (
	"fmt"
	"slices"

	"github.com/oncecheck/oncecheck/harness"
)

// outboxCase is what was sent in one case, and what the outbox showed of it.
type outboxCase struct {
	terminal int64 // Seq of the first terminal answer, 0 without one
	sent     []attempt
	entries  []harness.Event
}

func entriesByCase(h *harness.History, pick Pick) map[string]*outboxCase {
	by := map[string]*outboxCase{}
	for _, a := range keyed(attempts(h, pick)) {
		o := by[a.Invoke.Case]
		if o == nil {
			o = &outboxCase{}
			by[a.Invoke.Case] = o
		}
		o.sent = append(o.sent, a)
		if stores(h.Header.Dialect, a.class(h)) && (o.terminal == 0 || a.Done.Seq < o.terminal) {
			o.terminal = a.Done.Seq
		}
	}
	for e := range h.Events() {
		if o := by[e.Case]; e.Type == harness.OutboxEntry && o != nil {
			o.entries = append(o.entries, e)
		}
	}
	return by
}

// before says why an entry that came after the replays had begun could be the first
// request's, or "".
func (o *outboxCase) before(begun int64, read []harness.Event) string {
	switch {
	case begun == 0:
		return "the first answer never came to rest"
	case o.terminal == 0 || o.terminal > begun:
		return "the first request had no terminal answer before the replays"
	case o.written(begun) == 0 && lastCount(read, harness.OutboxStrays) > 0:
		return "the first request left no entry in the outbox that is known as its own: " + unclaimed(begun, read)
	case o.written(begun) == 0:
		return "the first request left no entry in the outbox before the replays, so one of theirs could not be told from it; if a relay deletes what it delivered, let the probe read that, too"
	}
	return ""
}

// after passes if no entry of a replay could have been missed, and else says why one
// could.
func (o *outboxCase) after(begun int64, read []harness.Event) harness.Verdict {
	if o.answered(begun) == 0 {
		return harness.Undecided("nothing was replayed")
	}
	earlier := readBefore(begun, read)
	if len(earlier) == 0 || earlier[len(earlier)-1].Seq < o.terminal {
		return harness.Undecided("the outbox was not read before the replays")
	}
	last := read[len(read)-1]
	if slices.ContainsFunc(o.sent, func(a attempt) bool { return max(a.Invoke.Seq, a.Done.Seq) > last.Seq }) {
		return harness.Undecided("the outbox was not read after the replays")
	}
	if lastCount(read, harness.OutboxStrays) > 0 {
		return harness.Undecided("an entry of a replay may not be known as one: " + unclaimed(begun, read))
	}
	if n := lastCount(read, harness.OutboxOthers) - lastCount(earlier, harness.OutboxOthers); n > 0 {
		return harness.Verdict{Outcome: harness.NotVerified, Reason: fmt.Sprintf("others wrote %d entries meanwhile; one of a replay may be among them; let each carry the correlation id of its request, or the id of the request, order or cart as aggregateId, and run it while nobody else writes", n)}
	}
	if slices.ContainsFunc(o.entries, func(e harness.Event) bool { return e.Outbox.Gone }) {
		return harness.Verdict{Outcome: harness.NotVerified, Reason: "the outbox forgot an entry, so one of a replay may have come and gone unseen; let the probe read what was delivered, too"}
	}
	return harness.Passed("nothing could be missed")
}

// fresh returns the first entry that the outbox showed only once the replays had
// begun.
func (o *outboxCase) fresh(begun int64) (harness.Event, bool) {
	i := slices.IndexFunc(o.entries, func(e harness.Event) bool { return e.Seq > begun && !o.shown(e) })
	if i < 0 {
		return harness.Event{}, false
	}
	return o.entries[i], true
}

// written counts the entries that the outbox showed before a moment.
func (o *outboxCase) written(moment int64) int {
	n := 0
	for _, e := range o.entries {
		if e.Seq < moment && !o.shown(e) {
			n++
		}
	}
	return n
}

// shown reports whether the outbox had shown the entry earlier, in another
// condition.
func (o *outboxCase) shown(e harness.Event) bool {
	return slices.ContainsFunc(o.entries, func(earlier harness.Event) bool {
		return earlier.Seq < e.Seq && earlier.Outbox.Position == e.Outbox.Position && earlier.Outbox.EventID == e.Outbox.EventID
	})
}

// answered counts the answers to requests that were sent after a moment.
func (o *outboxCase) answered(moment int64) int {
	n := 0
	for _, a := range o.sent {
		if a.Invoke.Seq > moment && a.answered() {
			n++
		}
	}
	return n
}
