package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// WaitsNoLess judges that the client waits at least as long as it does where
// nobody asks for a wait: as it declares. Where a single wait may be as good as
// nothing, with full jitter or where nothing is declared, all of them together
// must not: an eighth of the base in the mean, which takes six of them to be told
// from chance, and more than what the machine adds to everything.
func WaitsNoLess(pick Pick) func(*harness.History) harness.Verdict {
	return eachRoute(pick, func(h *harness.History, pick Pick) harness.Verdict {
		w := waitsOf(h, pick)
		waits := w.nth(1)
		own, declared := backoffOf(h)
		if declared && own.Jitter != "full" {
			if v := fewer(len(waits), 1, "waits", w); v.Reason != "" {
				return v
			}
			return w.asDeclared(h, false)
		}
		if v := fewer(len(waits), looseSample, "waits", w); v.Reason != "" {
			return v
		}
		var sum time.Duration
		for _, wait := range waits {
			sum += wait
		}
		mean, wanted, noise := sum/time.Duration(len(waits)), own.Base.Std()/8, quantile(w.first, 0.5)
		what := fmt.Sprintf("%s in the mean of %d", seconds(mean), len(waits))
		switch {
		case mean < wanted:
			return harness.Failed(fmt.Sprintf("waits of %s or more in the mean, an eighth of %s", seconds(wanted), seconds(own.Base.Std())), what, w.seqs...)
		case mean < wanted+noise:
			return harness.TooBusy(fmt.Sprintf("waits of %s, but the machine alone makes %s of it: this says nothing about the client", what, seconds(noise)), w.seqs...)
		}
		return harness.Passed("waits of "+what, w.seqs...)
	})
}

// eachRoute judges the picked cases of each route by themselves, so that one
// client's waits cannot make up for another's.
func eachRoute(pick Pick, one func(h *harness.History, pick Pick) harness.Verdict) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		by := map[string]Pick{}
		for _, c := range clientCases(h, pick) {
			_, route, _ := strings.Cut(c.label, "@")
			by[route] = Labelled(append(by[route].prefixes, c.label)...)
		}
		if len(by) == 0 {
			return harness.Undecided("no call of the client was made")
		}
		var verdicts []harness.Verdict
		for _, route := range slices.Sorted(maps.Keys(by)) {
			verdicts = append(verdicts, one(h, by[route]))
		}
		return harness.Merge(verdicts...)
	}
}

// looseSample is how many waits are needed where one of them may be nothing.
const looseSample = 6

// NeedsSample returns how many calls [WaitsNoLess] needs of a client.
func NeedsSample(c *harness.ClientInfo) int {
	if c == nil || c.Backoff.Base <= 0 || c.Backoff.Jitter == "full" {
		return looseSample
	}
	return 1
}
