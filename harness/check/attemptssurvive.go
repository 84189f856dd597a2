package check

import (
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
)

// MarkCounted is noted once a request whose process died has made all the attempts
// that it makes by itself: what comes later was asked for anew.
const MarkCounted = "attempts-counted"

// AttemptsSurvive judges that a dependency which fails for good is called no more
// often for a request whose process died between two attempts than for any other:
// the attempts of before the crash count.
func AttemptsSurvive(pick Pick) func(*harness.History) harness.Verdict {
	return NoLooser(LimitAttempts, func(h *harness.History) harness.Verdict {
		most := h.Header.Policy.Checkout.Attempts
		restarts, counted := crashes(h), marks(h, MarkCounted)
		type use struct{ id, what string }
		made, before := map[use][]harness.Event{}, map[use]int{}
		for _, c := range calls(h, pick) {
			u := use{c.Case, c.Call.Link + "/" + c.Call.Operation}
			until, ok := counted[c.Case]
			if !ok {
				return harness.Undecided("nobody waited for the attempts of case " + label(h, c.Case) + " to end")
			}
			if c.Call.Fault == "" || c.Call.Started > until.At {
				continue
			}
			made[u] = append(made[u], c)
			if restarted, ok := crashAfter(restarts, c.Seq); ok && restarted.Seq < until.Seq {
				before[u]++
			}
		}
		n := 0
		for _, c := range calls(h, pick) { // in their order, so that the first too many is told
			u := use{c.Case, c.Call.Link + "/" + c.Call.Operation}
			list, did := made[u]
			delete(made, u)
			switch {
			case !did:
				continue
			case before[u] == 0:
				return harness.Undecided("no process died after a failed "+u.what+" of case "+label(h, u.id), seqsOf(list)...)
			case len(list) > most && askedBetween(h, pick, u.id, list):
				return harness.Undecided("the target asked after the crash what became of "+u.what+" of case "+label(h, u.id)+", so it did not know the answer of before, and began anew", seqsOf(list)...)
			case len(list) > most:
				return harness.Failed(fmt.Sprintf("at most %d attempts of %s, those before the crash included (case %s)", most, u.what, label(h, u.id)),
					fmt.Sprintf("%d, of which %d before it", len(list), before[u]), seqsOf(list)...)
			case len(list) == before[u]:
				return harness.Undecided("nobody went on with case "+label(h, u.id)+" after the crash", seqsOf(list)...)
			}
			n++
		}
		if n == 0 {
			return harness.Undecided("no dependency failed for a request whose process died")
		}
		return harness.Passed(fmt.Sprintf("%s: no more than %d attempts in all, over the crash", several(n, "operation"), most))
	})
}

// askedBetween reports whether the target asked between two of the attempts what became
// of them: what it does then is another round.
func askedBetween(h *harness.History, pick Pick, id string, attempts []harness.Event) bool {
	first, last := attempts[0].Call, attempts[len(attempts)-1].Call
	for _, c := range calls(h, pick) {
		if c.Case == id && c.Call.Link == first.Link && isQuery(h, c.Call.Link, c.Call.Operation) && c.Call.Started > first.Started && c.Call.Started < last.Started {
			return true
		}
	}
	return false
}
