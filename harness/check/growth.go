package check

import (
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// How much a second wait is longer than a first one where waits double: half of
// that and a half more, for what jitter does to a median.
const (
	growthLeast = 1.3
	growthMost  = 3.0
)

// WaitsGrow judges that the waits of a client grow from attempt to attempt, in
// the median over at least that many calls, and that each of them is one that
// the client's declaration allows.
func WaitsGrow(pick Pick, least int) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		w := waitsOf(h, pick)
		if len(w.gaps) > 0 && h.Header.Policy.Client.Retries < 2 {
			return harness.Inapplicable(fmt.Sprintf("the client declares %d retries, and growth takes two waits", h.Header.Policy.Client.Retries))
		}
		var ratios []float64
		for _, gaps := range w.gaps {
			if len(gaps) >= 2 {
				ratios = append(ratios, float64(gaps[1])/float64(max(gaps[0], time.Microsecond)))
			}
		}
		if v := fewer(len(ratios), least, "calls with two waits", w); v.Reason != "" {
			return v
		}
		if median := quantile(ratios, 0.5); median < growthLeast || median > growthMost {
			return harness.Failed(fmt.Sprintf("a second wait that is %.1f to %.1f times the first, in the median of %d calls", growthLeast, growthMost, len(ratios)),
				fmt.Sprintf("%.2f times: %s, then %s", median, seconds(quantile(w.nth(1), 0.5)), seconds(quantile(w.nth(2), 0.5))), w.seqs...)
		}
		if v := w.asDeclared(h, true); v.Outcome != harness.Pass {
			return v
		}
		return harness.Passed(fmt.Sprintf("%.2f times the first, in the median of %d calls: %s, then %s", quantile(ratios, 0.5), len(ratios), seconds(quantile(w.nth(1), 0.5)), seconds(quantile(w.nth(2), 0.5))), w.seqs...)
	}
}

// WaitsAsDeclared judges that each wait of at least that many calls is one that
// the client's declaration allows.
func WaitsAsDeclared(pick Pick, least int) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		w := waitsOf(h, pick)
		if v := fewer(len(w.nth(1)), least, "waits", w); v.Reason != "" {
			return v
		}
		return w.asDeclared(h, true)
	}
}

// NoHotLoop judges that the client waits at least as long as it declares to, in
// at least that many calls. Full jitter may wait for nothing, but not for so
// little in the median.
func NoHotLoop(pick Pick, least int) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		w := waitsOf(h, pick)
		if v := fewer(len(w.nth(1)), least, "waits", w); v.Reason != "" {
			return v
		}
		b := h.Header.Client
		if b == nil || b.Backoff.Base <= 0 {
			return undeclared()
		}
		if wanted := b.Backoff.Base.Std() / 4; b.Backoff.Jitter == "full" {
			if median := quantile(w.nth(1), 0.5); median < wanted {
				return harness.Failed("a first wait of "+seconds(wanted)+" or more in the median (full jitter of "+seconds(b.Backoff.Base.Std())+")", seconds(median), w.seqs...)
			}
		}
		return w.asDeclared(h, false)
	}
}

// asDeclared compares the waits with the declared bounds, that above only if
// asked to. No machine makes a wait shorter, so all have to be long enough. A busy
// one makes some of them longer, so one of ten may be too long.
func (w waitSample) asDeclared(h *harness.History, above bool) harness.Verdict {
	if h.Header.Client == nil || h.Header.Client.Backoff.Base <= 0 {
		return undeclared()
	}
	declared := h.Header.Client.Backoff
	count, most := 0, 0
	for i, gaps := range w.gaps {
		for n, gap := range gaps {
			low, high := declared.Bounds(n + 1)
			count, most = count+1, max(most, n+1)
			// What we see of a wait begins when our answer is out and ends when the
			// request is in: rounding takes something off, but never half.
			if gap < max(low-Early, low/2) {
				return harness.Failed(fmt.Sprintf("a wait of %s to %s before attempt %d, as it is declared", seconds(low), seconds(high), n+2), seconds(gap), w.seqs[i])
			}
		}
	}
	for n := 1; above && n <= most; n++ {
		_, high := declared.Bounds(n)
		if long := quantile(w.nth(n), 0.9); long > high+harness.TimeTolerance {
			return harness.Failed(fmt.Sprintf("waits of %s or less before attempt %d, as it is declared", seconds(high), n+1), fmt.Sprintf("%s or more in one of ten", seconds(long)), w.seqs...)
		}
	}
	return harness.Passed(fmt.Sprintf("%d waits of %d calls are as declared; the shortest %s, the longest %s", count, len(w.gaps), seconds(quantile(w.all(), 0)), seconds(quantile(w.all(), 1))), w.seqs...)
}

func (w waitSample) all() []time.Duration {
	var list []time.Duration
	for _, gaps := range w.gaps {
		list = append(list, gaps...)
	}
	return list
}

// fewer is undecided where there are too few samples, and empty otherwise.
func fewer(n, least int, what string, w waitSample) harness.Verdict {
	if n >= least {
		return harness.Verdict{}
	}
	reason := fmt.Sprintf("%d %s, and %d are needed", n, what, least)
	if w.why != "" {
		reason += ": " + w.why
	}
	return harness.Undecided(reason, w.seqs...)
}

func undeclared() harness.Verdict {
	return harness.Undecided("the client does not declare its waits")
}
