package check

import (
	"fmt"
	"maps"
	"slices"

	"github.com/oncecheck/oncecheck/harness"
)

// CalledOnce judges that a dependency operation whose answer a repetition would
// not change, or must not follow, was called once for the request that met it:
// not again while the request was at work, nor behind its answer. What happens
// once the caller asks again is another request.
func CalledOnce(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		plans, order, err := faultPlans(h, pick)
		if err != nil {
			return harness.Undecided(err.Error())
		}
		firsts, down := firstByCase(h, pick), downstreamOf(h)
		for _, id := range order {
			if v := plans[id].calledOnce(h, id, firsts[id], down); v.Outcome != harness.Pass {
				return v
			}
		}
		if len(order) == 0 {
			return harness.Undecided("no dependency fault was planned")
		}
		for _, id := range slices.Sorted(maps.Keys(firsts)) {
			if plans[id] == nil {
				return harness.Undecided("no dependency fault was planned in case " + label(h, id))
			}
		}
		return harness.Passed(fmt.Sprintf("%d requests met it (%s), one call each", len(order), targets(plans)))
	}
}

func (p *faultPlan) calledOnce(h *harness.History, id string, first attempt, down downstream) harness.Verdict {
	if first.Done.Seq == 0 {
		return harness.Undecided("the request of case "+label(h, id)+" never ended", first.Invoke.Seq)
	}
	w := down.window(first)
	made := within(down.calls[id], w, p.link, p.operation)
	if len(made) == 0 || made[0].Call.Fault == "" {
		return harness.Undecided(fmt.Sprintf("no fault fired on %s/%s in case %s: the target never called it", p.link, p.operation, label(h, id)), first.witness())
	}
	if len(made) > 1 {
		return harness.Failed(fmt.Sprintf("exactly 1 call of %s/%s after %s (case %s)", p.link, p.operation, endOf(made[0]), label(h, id)),
			fmt.Sprintf("%d calls, then %s", len(made), statusText(first)), append(seqsOf(made), first.witness())...)
	}
	return down.hidden(w, first.witness())
}

// within returns the calls of one operation that started in the window.
func within(calls []harness.Event, w window, link, operation string) []harness.Event {
	return slices.DeleteFunc(slices.Clone(calls), func(c harness.Event) bool {
		return c.Call.Link != link || c.Call.Operation != operation || c.Call.Started < w.from || c.Call.Started > w.to
	})
}

// endOf says how a call ended for the target.
func endOf(c harness.Event) string {
	if c.Call.Status > 0 {
		return fmt.Sprintf("status %d", c.Call.Status)
	}
	return "its end (" + string(c.Call.Outcome) + ")"
}

func seqsOf(events []harness.Event) []int64 {
	seqs := make([]int64, len(events))
	for i, e := range events {
		seqs[i] = e.Seq
	}
	return seqs
}
