package check

import (
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
)

// Amplification judges by how much failing calls multiply the load of their
// dependency: requests by calls, over all cases.
func Amplification(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		calls, requests := 0, 0
		var seqs []int64
		for _, c := range clientCases(h, pick) {
			if why := c.unended(); why != "" {
				return harness.Undecided(why, c.witnesses()...)
			}
			calls += len(c.calls)
			requests += len(c.sent)
			seqs = append(seqs, c.witnesses()...)
		}
		most := h.Header.Policy.Client.Retries + 1
		what := fmt.Sprintf("%d requests for %d calls, a factor of %.2f", requests, calls, float64(requests)/float64(max(calls, 1)))
		switch {
		case requests == 0:
			return harness.Undecided("no request reached a dependency", seqs...)
		case requests > most*calls:
			return harness.Failed(fmt.Sprintf("at most %d times as many requests as calls where all fail", most), what, seqs...)
		}
		return harness.Passed(what, seqs...)
	}
}
