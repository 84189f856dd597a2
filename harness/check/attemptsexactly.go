package check

import (
	"fmt"
	"slices"

	"github.com/oncecheck/oncecheck/harness"
)

// AttemptsExactly judges that a dependency operation that goes on failing is
// called exactly as often as the target declares, for the one request that meets
// it. Behind the answer to a request that is not over, a round of reconciliation
// begins, which is not this one's; behind any other answer nothing may follow.
// Where the outcome is asked for in between, fewer calls are right.
func AttemptsExactly(pick Pick) func(*harness.History) harness.Verdict {
	return NoLooser(LimitAttempts, func(h *harness.History) harness.Verdict {
		plans, order, err := faultPlans(h, pick)
		if err != nil {
			return harness.Undecided(err.Error())
		}
		firsts, down := firstByCase(h, pick), downstreamOf(h)
		for _, id := range order {
			if v := plans[id].exhausted(h, id, firsts[id], down); v.Outcome != harness.Pass {
				return v
			}
		}
		if len(order) == 0 {
			return harness.Undecided("no dependency fault was planned")
		}
		return harness.Passed(fmt.Sprintf("%d requests (%s), %d calls each", len(order), targets(plans), h.Header.Policy.Checkout.Attempts))
	})
}

func (p *faultPlan) exhausted(h *harness.History, id string, first attempt, down downstream) harness.Verdict {
	if first.Done.Seq == 0 {
		return harness.Undecided("the request of case "+label(h, id)+" never ended", first.Invoke.Seq)
	}
	w := down.window(first)
	if class := first.class(h); class == harness.ClassPending || class == harness.ClassInProgress {
		w.to = min(w.to, first.Done.At)
	}
	made := within(down.calls[id], w, p.link, p.operation)
	what := fmt.Sprintf("%s/%s (case %s)", p.link, p.operation, label(h, id))
	seqs := append(seqsOf(made), first.witness())
	want := h.Header.Policy.Checkout.Attempts
	switch n := len(made); {
	case n == 0:
		return harness.Undecided("no fault fired on "+what+": the target never called it", seqs...)
	case slices.ContainsFunc(made, func(c harness.Event) bool { return c.Call.Fault == "" }):
		return harness.Undecided("not every call of "+what+" failed", seqs...)
	case n > want:
		return harness.Failed(fmt.Sprintf("exactly %d calls of %s", want, what), fmt.Sprintf("%d, then %s", n, statusText(first)), seqs...)
	case n < want && (asked(h, down.calls[id], w, p.link) || first.class(h) == harness.ClassPending):
		return harness.Undecided(fmt.Sprintf("%d calls of %s, and then the target went another way (%s), so its limit was not reached", n, what, statusText(first)), seqs...)
	case n < want:
		return harness.Failed(fmt.Sprintf("exactly %d calls of %s", want, what), fmt.Sprintf("%d, then %s", n, statusText(first)), seqs...)
	}
	return down.hidden(w, first.witness())
}

// asked reports whether the link's state was read in the window.
func asked(h *harness.History, calls []harness.Event, w window, link string) bool {
	return slices.ContainsFunc(calls, func(c harness.Event) bool {
		return c.Call.Link == link && isQuery(h, link, c.Call.Operation) && c.Call.Started >= w.from && c.Call.Started <= w.to
	})
}
