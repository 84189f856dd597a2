package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// OneOrAll records how often the client sends what may be repeated or not: once
// only, or as often as it declares, but nothing else.
func OneOrAll(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		var counts []string
		v := eachCase(pick, func(h *harness.History, c clientCase) harness.Verdict {
			n, all := len(c.sent), h.Header.Policy.Client.Retries+1
			counts = append(counts, fmt.Sprintf("%s %d", c.label, n))
			if !slices.Contains([]int{1, all}, n) {
				return c.fail(fmt.Sprintf("1 request at the dependency, or all %d", all), fmt.Sprintf("%d, then %s", n, outcomeOf(c)))
			}
			return harness.Passed("", c.witnesses()...)
		})(h)
		if v.Outcome == harness.Pass {
			v.Reason = "requests: " + strings.Join(counts, ", ")
		}
		return v
	}
}
