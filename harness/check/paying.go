package check

import (
	"fmt"
	"maps"
	"slices"

	"github.com/oncecheck/oncecheck/harness"
)

// payingOf returns the operation that moves the money of a plain checkout.
func payingOf(h *harness.History) (link, operation string) {
	for _, effect := range []string{"charge", "capture", "authorization"} {
		for _, l := range h.Header.Links {
			for _, o := range l.Operations {
				if o.Effect == effect && !l.Optional {
					return l.Name, o.Name
				}
			}
		}
	}
	return "", ""
}

// PaidForOnce judges that the operation that moves money was called exactly once
// for the first request of each case, and not again behind its answer.
func PaidForOnce(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		link, operation := payingOf(h)
		if operation == "" {
			return harness.Undecided("no operation of a dependency is declared that pays (dependencies.NAME.operations: effect: charge)")
		}
		firsts, down := firstByCase(h, pick), downstreamOf(h)
		for _, id := range slices.Sorted(maps.Keys(firsts)) {
			first := firsts[id]
			made := within(down.calls[id], down.window(first), link, operation)
			what := fmt.Sprintf("call of %s/%s (case %s)", link, operation, label(h, id))
			switch {
			case first.Done.Seq == 0:
				return harness.Undecided("the request of case "+label(h, id)+" never ended", first.Invoke.Seq)
			case len(made) == 0:
				return harness.Undecided("no "+what, first.witness())
			case len(made) > 1:
				return harness.Failed("exactly 1 "+what, fmt.Sprintf("%d calls, then %s", len(made), statusText(first)), append(seqsOf(made), first.witness())...)
			}
			if v := down.hidden(down.window(first), first.witness()); v.Outcome != harness.Pass {
				return v
			}
		}
		if len(firsts) == 0 {
			return harness.Undecided("no checkout was sent")
		}
		return harness.Passed(fmt.Sprintf("%d checkouts, one call of %s/%s each", len(firsts), link, operation))
	}
}

// NotAccepted judges only where the first request of no case was accepted: a
// payment that succeeds was not declined.
func NotAccepted(pick Pick, judge func(*harness.History) harness.Verdict) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		firsts := firstByCase(h, pick)
		for _, id := range sortedNames(firsts) {
			if firsts[id].class(h) == harness.ClassSuccess {
				return harness.Undecided("the checkout of case "+label(h, id)+" was accepted: it is no decline (checkout.variants.declined)", firsts[id].witness())
			}
		}
		return judge(h)
	}
}
