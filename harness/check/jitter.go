package check

import (
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

const (
	// jitterLeast is how far the waits have to lie apart, measured by their median.
	jitterLeast = 0.1
	// halfLeast is how far their middle half has to, measured by the former: of an
	// even jitter it is five eighths.
	halfLeast = 0.25
	// togetherShare of the waits within togetherWithin of their median are callers
	// that come back together. Of the least jitter that passes as many take two thirds
	// more, of an equal one nine times as much.
	togetherShare  = 0.4
	togetherWithin = 0.03
	// togetherFloor is the least that has to be measured for it: what a request
	// takes by itself is alike, too.
	togetherFloor = time.Millisecond
)

// WaitsDiffer judges that clients that failed together do not come back together:
// their first waits, each of a client that made no call before, lie apart, and so
// do their second ones where there are any. What
// the machine adds to a wait lies apart, too, so its own spread, as the first
// request of each call shows it, has to be smaller by half. And a busy machine
// delays some waits and leaves the others alone: where most of them are of one
// length, the rest is not the client's doing. So it can hide a jitter, and make
// one seem to be where there is none, but it cannot make waits alike: callers that
// come back together are that however late others are.
func WaitsDiffer(pick Pick, least int) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict { return waitsOf(h, pick).differ(least) }
}

func (w waitSample) differ(least int) harness.Verdict {
	v := w.apart(w.nth(1), least, "first waits")
	if second := w.nth(2); len(second) >= least {
		return harness.Merge(v, w.apart(second, least, "second waits"))
	}
	return v
}

// apart judges the waits before one of the attempts.
func (w waitSample) apart(waits []time.Duration, least int, which string) harness.Verdict {
	if v := fewer(len(waits), least, which, w); v.Reason != "" {
		return v
	}
	apart, median := spread(waits), quantile(waits, 0.5)
	what := fmt.Sprintf("%d %s of %s in the median, %s apart", len(waits), which, seconds(median), seconds(apart))
	half := quantile(waits, 0.75) - quantile(waits, 0.25)
	together, within := narrowest(waits, togetherShare), time.Duration(togetherWithin*float64(median))
	switch noise := spread(w.first); {
	case float64(apart) < jitterLeast*float64(median) || apart == 0:
		return harness.Failed(fmt.Sprintf("waits that lie apart by a tenth of their median or more, from the 10th to the 90th of 100 (%s)", seconds(median/10)), what, w.seqs...)
	case together < within && within >= togetherFloor:
		return harness.Failed(fmt.Sprintf("waits of which no two in five lie within 3 hundredths of their median (%s)", seconds(within)),
			fmt.Sprintf("%s, and two in five of them within %s", what, seconds(together)), w.seqs...)
	case float64(half) < halfLeast*float64(apart):
		return harness.TooBusy(fmt.Sprintf("%s, but half of them within %s: the others are what a busy machine delays, and say nothing about the client", what, seconds(half)), w.seqs...)
	case 2*noise > apart:
		return harness.TooBusy(fmt.Sprintf("%s, but the machine alone makes %s of it: this says nothing about the client", what, seconds(noise)), w.seqs...)
	}
	return harness.Passed(fmt.Sprintf("%s, of which the machine makes %s at most", what, seconds(spread(w.first))), w.seqs...)
}
