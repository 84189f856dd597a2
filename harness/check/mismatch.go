package check

import (
	"fmt"
	"maps"
	"slices"

	"github.com/oncecheck/oncecheck/harness"
)

// MismatchRefused judges that a used key with another body is refused as the
// dialect says and calls nothing, in every case of the pick. While the first
// request is held both a mismatch and a request in progress hold true; the
// dialect says which of them comes first, and the mismatch then has to follow.
func MismatchRefused(pick Pick) func(*harness.History) harness.Verdict {
	return Unless(MismatchAllowed, func(h *harness.History) harness.Verdict {
		d := h.Header.Dialect
		judged, byCase, down, held := 0, map[string]int{}, downstreamOf(h), holds(h)
		list := keyed(attempts(h, pick))
		for _, a := range list {
			byCase[a.Invoke.Case] += 0 // a case without another body has to show
		}
		for _, group := range groups(h, list) {
			original := firstInvoked(group)
			for _, a := range group {
				if sameBody(a, original) {
					continue
				}
				waits := d.Precedence == "in-progress" && held.contains(a)
				if waits && (!a.answered() && d.InProgress.Mode != "refuse" || a.answered() && d.InProgress.Matches(*a.Done.Answer)) {
					continue
				}
				if !a.answered() {
					return harness.Undecided("no answer to the other body in case "+label(h, a.Invoke.Case)+": "+a.Done.Error, a.witness())
				}
				judged++
				byCase[a.Invoke.Case]++
				if !d.Mismatch.Matches(*a.Done.Answer) {
					return harness.Failed(fmt.Sprintf("status %v %s for the same key with another body", d.Mismatch.Statuses, d.Mismatch.Code),
						statusText(a), original.witness(), a.witness())
				}
				if v := down.untouched(h, a); v.Outcome != harness.Pass {
					return v
				}
			}
		}
		for _, id := range slices.Sorted(maps.Keys(byCase)) {
			if byCase[id] == 0 {
				return harness.Undecided("no other body was refused or accepted in case " + label(h, id))
			}
		}
		if judged == 0 {
			return harness.Undecided("no other body was sent under a used key")
		}
		return harness.Passed(fmt.Sprintf("%d requests with another body refused, no dependency called", judged))
	})
}

// held are the times in which a scenario held the first request of a case.
type held struct{ from, to map[string]harness.Event }

func holds(h *harness.History) held { return held{marks(h, MarkHeld), marks(h, MarkReleased)} }

// contains reports whether the attempt was sent while the first request of its
// case was held.
func (m held) contains(a attempt) bool {
	from, began := m.from[a.Invoke.Case]
	to, ended := m.to[a.Invoke.Case]
	return began && a.Invoke.Seq > from.Seq && (!ended || a.Invoke.Seq < to.Seq)
}
