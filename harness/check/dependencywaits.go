package check

import (
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// dependencyWaits is what the picked cases show of the waits of a target between
// the calls of the operation that failed, for one request each. What the machine
// adds to a wait shows where there is none: before the first call of this
// operation, and between its last one and the next, of another.
func dependencyWaits(h *harness.History, pick Pick) waitSample {
	var w waitSample
	plans, order, err := faultPlans(h, pick)
	if err != nil {
		w.why = err.Error()
		return w
	}
	firsts, down := firstByCase(h, pick), downstreamOf(h)
	for _, id := range order {
		p, first := plans[id], firsts[id]
		made := within(down.calls[id], down.window(first), p.link, p.operation)
		if first.Done.Seq == 0 || len(made) == 0 {
			w.why = "no call of " + p.link + "/" + p.operation + " in case " + label(h, id)
			continue
		}
		var gaps []time.Duration
		for i := 1; i < len(made); i++ {
			gaps = append(gaps, made[i].Call.Started-made[i-1].Call.Ended)
		}
		w.gaps = append(w.gaps, gaps)
		w.first = append(w.first, unwaited(down.calls[id], made, first)...)
		w.seqs = append(w.seqs, first.witness())
	}
	return w
}

// unwaited returns the times between the calls of a request where nothing is waited
// for.
func unwaited(calls, made []harness.Event, first attempt) []time.Duration {
	before, last := first.Invoke.At, made[len(made)-1].Call
	next := time.Duration(-1)
	for _, c := range calls {
		switch {
		case c.Call.Started < made[0].Call.Started:
			before = max(before, c.Call.Ended)
		case c.Call.Started > last.Ended && c.Call.Started <= first.Done.At && (next < 0 || c.Call.Started < next):
			next = c.Call.Started
		}
	}
	list := []time.Duration{made[0].Call.Started - before}
	if next >= 0 {
		list = append(list, next-last.Ended)
	}
	return list
}

// DependencyWaitsGrow judges that a target's waits between the attempts of an
// operation grow, in the median over at least that many requests. What a busy
// machine adds to each of them hides growth, so where the waits less what it adds
// would have grown, nothing is told.
func DependencyWaitsGrow(pick Pick, least int) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		w := dependencyWaits(h, pick)
		if len(w.gaps) > 0 && h.Header.Policy.Checkout.Attempts < 3 {
			return harness.Inapplicable(fmt.Sprintf("the target declares %d attempts, and growth takes two waits", h.Header.Policy.Checkout.Attempts))
		}
		var ratios []float64
		for _, gaps := range w.gaps {
			if len(gaps) >= 2 {
				ratios = append(ratios, float64(gaps[1])/float64(max(gaps[0], time.Microsecond)))
			}
		}
		if v := fewer(len(ratios), least, "requests with two waits", w); v.Reason != "" {
			return v
		}
		one, two, noise := quantile(w.nth(1), 0.5), quantile(w.nth(2), 0.5), quantile(w.first, 0.5)
		what := fmt.Sprintf("%.2f times: %s, then %s", quantile(ratios, 0.5), seconds(one), seconds(two))
		if quantile(ratios, 0.5) < growthLeast {
			if noise > harness.TimeTolerance && one > noise && float64(two-noise) >= growthLeast*float64(one-noise) {
				return harness.TooBusy(fmt.Sprintf("a second wait of %s, in the median of %d requests, but the machine alone makes %s of each: this says nothing about the target", what, len(ratios), seconds(noise)), w.seqs...)
			}
			return harness.Failed(fmt.Sprintf("a second wait that is %.1f times the first or more, in the median of %d requests", growthLeast, len(ratios)), what, w.seqs...)
		}
		return harness.Passed(fmt.Sprintf("a second wait of %s, in the median of %d requests", what, len(ratios)), w.seqs...)
	}
}

// DependencyWaitsDiffer judges that requests that failed together do not come back
// together: their first waits lie apart, and not because of the machine.
func DependencyWaitsDiffer(pick Pick, least int) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict { return dependencyWaits(h, pick).differ(least) }
}
