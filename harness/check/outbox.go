package check

import (
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
// one, or forgets them, would show none of a replay's either. What others wrote
// meanwhile may hide one, too.
func NoEventOnReplay(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		rest, unread := marks(h, MarkReplays), marks(h, harness.MarkOutboxUnread)
		read, by := outboxReadings(h), entriesByCase(h, pick)
		var gaps []harness.Verdict
		replays, written := 0, 0
		for _, id := range slices.Sorted(maps.Keys(by)) {
			o, begun := by[id], rest[id].Seq
			gap := o.before(begun, read)
			if e, found := o.fresh(begun); found && gap == "" {
				return harness.Failed("no event on a replay", eventText(e), begun, e.Seq)
			}
			if was, e, why := o.sentAgain(begun); why != "" && gap == "" {
				return harness.Failed("no event is sent again on a replay", eventText(e)+", is sent again: "+why, was.Seq, begun, e.Seq)
			}
			v := o.after(begun, read)
			if gap != "" {
				v = harness.Undecided(gap)
			}
			if v.Outcome != harness.Pass {
				v.Reason += " (case " + label(h, id) + ")"
				gaps = append(gaps, v)
			}
			replays += o.answered(begun)
			written += o.written(begun)
		}
		if len(by) == 0 {
			return harness.Undecided("no request was sent")
		}
		for _, m := range unread {
			gaps = append(gaps, harness.Undecided(m.Mark.Detail, m.Seq))
		}
		if len(gaps) > 0 {
			return harness.Merge(gaps...)
		}
		return harness.Passed(fmt.Sprintf("%d replays, no event beyond the %d of the first requests", replays, written))
	}
}
