package check

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// ReconcileLimit is how long a target has to find out what it left open once
// nothing disturbs it any more.
func ReconcileLimit(p harness.Policy) time.Duration { return 10 * p.Checkout.ReconcileEvery() }

// Reconciles judges that a checkout that was left pending is brought to that state
// by the target itself: status reads show it before the caller asks again.
func Reconciles(pick Pick, to string) func(*harness.History) harness.Verdict {
	return Unless(PendingUnnamed, func(h *harness.History) harness.Verdict {
		firsts, reads, lifted := firstByCase(h, pick), shownByCase(h, pick), liftedAt(h)
		for _, id := range slices.Sorted(maps.Keys(firsts)) {
			first := firsts[id]
			if first.class(h) != harness.ClassPending {
				return harness.Undecided("the checkout of case "+label(h, id)+" was not left pending: "+statusText(first), first.witness())
			}
			last := attempt{}
			for _, a := range reads[id] {
				if a.Done.At >= askedAgain(h, id, first) {
					break
				}
				last = a
				if last.Done.Answer.State != statePending {
					break
				}
			}
			what := fmt.Sprintf("%s in the end (case %s)", to, label(h, id))
			switch {
			case last.Done.Seq == 0:
				return harness.Undecided("nobody read the status of case "+label(h, id)+" before asking again", first.witness())
			case last.Done.Answer.State == to:
			case last.Done.Answer.State != statePending:
				return harness.Failed(what, last.Done.Answer.State, first.witness(), last.witness())
			case last.Done.At-lifted[id] < ReconcileLimit(h.Header.Policy)-Early:
				return harness.Undecided("case "+label(h, id)+" was not watched for as long as reconciliation may take", first.witness(), last.witness())
			default:
				return harness.Failed(what, fmt.Sprintf("still %s %s after its faults were lifted", statePending, seconds(last.Done.At-lifted[id])), first.witness(), last.witness())
			}
		}
		if len(firsts) == 0 {
			return harness.Undecided("no checkout was left pending")
		}
		return harness.Passed(fmt.Sprintf("%d checkouts became %s without being asked for", len(firsts), to))
	})
}

// liftedAt returns when the last fault of each case was lifted.
func liftedAt(h *harness.History) map[string]time.Duration {
	at := map[string]time.Duration{}
	for e := range h.Events() {
		if e.Type == harness.FaultEvent && e.Fault.Stage == harness.FaultLifted {
			at[e.Case] = e.At
		}
	}
	return at
}

// askedAgain returns when the caller repeated its request: never, if it did not.
func askedAgain(h *harness.History, id string, first attempt) time.Duration {
	w := window{to: 1<<63 - 1}
	for _, a := range keyed(attempts(h, All())) {
		if a.Invoke.Case == id && a.Invoke.At > first.Invoke.At {
			w.to = min(w.to, a.Invoke.At)
		}
	}
	return w.to
}
