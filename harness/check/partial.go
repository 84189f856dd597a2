package check

import (
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
)

// PartialUndone judges that where the payment was made and another dependency
// failed, no money stays without an order, nor an order without money: what the
// ledger holds in the end are the effects of the successes, and no others.
func PartialUndone(pick Pick) func(*harness.History) harness.Verdict {
	match := EffectsMatchSuccesses(pick)
	return func(h *harness.History) harness.Verdict {
		v := match(h)
		if v.Outcome != harness.Pass {
			return v
		}
		link, operation := payingOf(h)
		partial := 0
		by := callsByCase(h, pick)
		for _, id := range sortedNames(by) {
			paid, failed := false, false
			for _, c := range by[id] {
				if c.Call.Link == link && c.Call.Operation == operation {
					paid = paid || c.Call.Upstream >= 200 && c.Call.Upstream < 300
				} else if c.Call.Fault != "" && effectOf(h, c.Call.Link, c.Call.Operation) != "" {
					failed = failed || paid
				}
			}
			if failed {
				partial++
			}
		}
		if partial == 0 {
			return harness.Undecided("no dependency failed after a payment was made: the target pays last, or the faults met nothing")
		}
		return harness.Passed(fmt.Sprintf("%d payments before another dependency failed; %s", partial, v.Reason))
	}
}
