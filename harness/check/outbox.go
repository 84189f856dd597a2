package check

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/oncecheck/oncecheck/harness"
)

// NoEventOnReplay judges that replays write nothing into the outbox: what is there
// of a case once all has come to rest after them was there before. Two entries are
// two events, whatever their ids: one id twice is sent twice.
//
// A case counts only if its first request ended and left an entry before the
// replays, and if that entry is still there after them: an outbox that never shows
// one, or forgets them, would show none of a replay's either.
func NoEventOnReplay(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		rest, unread := marks(h, MarkReplays), marks(h, harness.MarkOutboxUnread)
		read, by := outboxReadings(h), entriesByCase(h, pick)
		undecided, replays, written := "", 0, 0
		for _, id := range slices.Sorted(maps.Keys(by)) {
			o, begun := by[id], rest[id].Seq
			gap := o.before(begun, read)
			if e, found := o.fresh(begun); found && gap == "" {
				return harness.Failed("no event on a replay", eventText(e), begun, e.Seq)
			}
			if gap = cmp.Or(gap, o.after(begun, read)); gap != "" {
				undecided = cmp.Or(undecided, gap+" (case "+label(h, id)+")")
			}
			replays += o.answered(begun)
			written += o.written(begun)
		}
		switch {
		case undecided != "":
			return harness.Undecided(undecided)
		case len(by) == 0:
			return harness.Undecided("no request was sent")
		}
		for _, m := range unread {
			return harness.Undecided(m.Mark.Detail, m.Seq)
		}
		return harness.Passed(fmt.Sprintf("%d replays, no event beyond the %d of the first requests", replays, written))
	}
}

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
	case o.written(begun) == 0 && outboxStrays(read) > 0:
		return "the first request left no entry in the outbox that is known as its own: " + unclaimed(outboxStrays(read))
	case o.written(begun) == 0:
		return "the first request left no entry in the outbox before the replays, so one of theirs could not be told from it"
	}
	return ""
}

// after says why an entry of a replay could have been missed, or "".
func (o *outboxCase) after(begun int64, read []harness.Event) string {
	if o.answered(begun) == 0 {
		return "nothing was replayed"
	}
	if !slices.ContainsFunc(read, func(e harness.Event) bool { return e.Seq > o.terminal && e.Seq < begun }) {
		return "the outbox was not read before the replays"
	}
	last := read[len(read)-1]
	if slices.ContainsFunc(o.sent, func(a attempt) bool { return max(a.Invoke.Seq, a.Done.Seq) > last.Seq }) {
		return "the outbox was not read after the replays"
	}
	if slices.ContainsFunc(o.entries, func(e harness.Event) bool { return e.Outbox.Gone }) {
		return "the outbox forgot an entry, so one of a replay may have come and gone unseen"
	}
	if n := outboxStrays(read); n > 0 {
		return "an entry of a replay may not be known as one: " + unclaimed(n)
	}
	return ""
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

// outboxStrays returns how many entries belonged to no case at the last reading.
func outboxStrays(read []harness.Event) int64 {
	if len(read) == 0 {
		return 0
	}
	return read[len(read)-1].Mark.Count[harness.OutboxStrays]
}

func unclaimed(n int64) string {
	return fmt.Sprintf("%d entries belong to no request of the run; let each carry the correlation id of its request, or the id of the request, order or cart as aggregateId; if somebody else uses this outbox, say effects.shared: true", n)
}

func eventText(e harness.Event) string {
	return fmt.Sprintf("%s, event %s, at position %d of the outbox", e.Outbox.Type, e.Outbox.EventID, e.Outbox.Position)
}
