package check

import (
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// NeverTheSmaller judges waits after an answer that asks for two different ones:
// the client takes the larger, or neither and waits as usual, but never the
// smaller. What is usual it shows in other cases, where none is asked for.
func NeverTheSmaller(pick, plain Pick, smaller, larger time.Duration) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		without := waitsOf(h, plain).nth(1)
		return eachCase(pick, func(h *harness.History, c clientCase) harness.Verdict {
			if v := fits(h, larger); v.Reason != "" {
				return v
			}
			gaps := c.gaps(h.Header.Policy.Client.Read.Std())
			switch {
			case len(gaps) == 0:
				return c.fail("a further attempt", several(len(c.sent), "request")+", then "+outcomeOf(c))
			case len(without) == 0:
				return harness.Undecided("the client never showed how it waits where nothing is asked for", c.witnesses()...)
			}
			longest := quantile(without, 1) + harness.TimeTolerance
			if own, declared := backoffOf(h); declared {
				_, most := own.Bounds(1)
				longest = max(longest, most+harness.TimeTolerance)
			}
			switch gap := gaps[0]; {
			case gap >= larger-Early:
				return harness.Passed("it took the larger: "+seconds(gap), c.witnesses()...)
			case gap < smaller-Early:
				return harness.Passed("it took neither: "+seconds(gap), c.witnesses()...)
			case gap <= longest:
				return harness.Undecided(fmt.Sprintf("the client may wait up to %s by itself, so nothing tells whether it took the smaller", seconds(longest)), c.witnesses()...)
			default:
				return c.fail(fmt.Sprintf("a wait of %s or more, the larger, or the client's own, which is %s at most", seconds(larger), seconds(longest)), seconds(gap))
			}
		})(h)
	}
}
