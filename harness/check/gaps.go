package check

import (
	"math"
	"slices"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// gaps returns how long the client waited before each further attempt: from the
// end of an answer to the moment in which the next request had been read. An
// exchange that it gave up itself ended at the limit of an attempt, although its
// connection may be closed a little later.
func (c clientCase) gaps(read time.Duration) []time.Duration {
	var list []time.Duration
	for i := 1; i < len(c.sent); i++ {
		last, next := c.sent[i-1].Call, c.sent[i].Call.Started
		gap := next - last.Ended
		if last.Outcome == harness.CallPeerLeft {
			gap = max(gap, next-last.Started-read)
		}
		list = append(list, gap)
	}
	return list
}

// waitSample is what the picked cases show of the waits of a client, each by one call.
type waitSample struct {
	gaps  [][]time.Duration // by case
	first []time.Duration   // from the start of the call to its first request: what the machine adds
	seqs  []int64
	why   string // why a case tells nothing
}

func waitsOf(h *harness.History, pick Pick) waitSample {
	var w waitSample
	for _, c := range clientCases(h, pick) {
		if why := c.unended(); why != "" {
			w.why = why
			continue
		}
		if len(c.calls) != 1 || len(c.sent) == 0 {
			w.why = "no request of case " + c.label + " reached the dependency"
			continue
		}
		w.gaps = append(w.gaps, c.gaps(h.Header.Policy.Client.Read.Std()))
		w.first = append(w.first, c.sent[0].Call.Started-c.calls[0].Invoke.At)
		w.seqs = append(w.seqs, c.calls[0].witness())
	}
	return w
}

// nth returns the n-th gap of each case that has one, counted from 1.
func (w waitSample) nth(n int) []time.Duration {
	var list []time.Duration
	for _, gaps := range w.gaps {
		if len(gaps) >= n {
			list = append(list, gaps[n-1])
		}
	}
	return list
}

// quantile returns the smallest value that a share q of the values does not
// exceed.
func quantile[T time.Duration | float64](values []T, q float64) T {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[max(0, int(math.Ceil(q*float64(len(sorted))))-1)]
}

// spread returns how far the middle four fifths of the values lie apart.
func spread(values []time.Duration) time.Duration {
	return quantile(values, 0.9) - quantile(values, 0.1)
}

// narrowest returns the smallest span that holds a share q of the values.
func narrowest(values []time.Duration, q float64) time.Duration {
	sorted := slices.Sorted(slices.Values(values))
	n := max(1, int(math.Ceil(q*float64(len(sorted)))))
	least := sorted[n-1] - sorted[0]
	for i := range len(sorted) - n + 1 {
		least = min(least, sorted[i+n-1]-sorted[i])
	}
	return least
}
