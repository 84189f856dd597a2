package check

import (
	"fmt"
	"slices"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// RetainedFromTheEnd judges requests that were open for most of the retention and
// then ended: they are replayed until the retention has gone by since the end,
// which is long after it has since the beginning.
func RetainedFromTheEnd(pick Pick) func(*harness.History) harness.Verdict {
	return keptAsRequired(func(h *harness.History) harness.Verdict {
		retention := h.Header.Policy.Checkout.Retention.Std()
		if retention <= 0 {
			return harness.Undecided("the profile declares no retention (policy.checkout.retention)")
		}
		clock, n := targetClockOf(h), 0
		for _, group := range groups(h, keyed(attempts(h, pick))) {
			first := firstInvoked(group)
			name, began := label(h, first.Invoke.Case), clock.at(first.Invoke)
			end, v := endedAt(h, clock, group)
			switch {
			case v.Outcome != harness.Pass:
				return v
			case !openAfter(h, clock, group, began+retention/2):
				return harness.Undecided("nothing shows that the request of case "+name+" was open for most of the retention", end.witness())
			}
			late := 0
			for _, a := range group {
				age := clock.at(a.Invoke) - began
				if a.Invoke.Seq <= end.Done.Seq || age <= retention || clock.at(a.Invoke)-end.at >= retention {
					continue
				}
				if v := answeredInTime(h, clock, a); v.Outcome != harness.Pass {
					return v
				}
				late++
				if expected, observed := differs(h.Header.Dialect, *end.Done.Answer, *a.Done.Answer); observed != "" {
					return harness.Failed(fmt.Sprintf("%s: it began %s ago, and ended %s ago", expected, rounded(age), rounded(clock.at(a.Invoke)-end.at)),
						observed, end.witness(), a.witness())
				}
			}
			if late == 0 {
				return harness.Undecided("the request of case "+name+" was not repeated between the retention since its beginning and that since its end", end.witness())
			}
			n += late
		}
		if n == 0 {
			return harness.Undecided("no request was open for most of the retention")
		}
		return harness.Passed(fmt.Sprintf("%s replayed more than %s after the beginning and less than that after the end", several(n, "repeat"), retention))
	})
}

// lastOf divides the retention: a repeat in the last such part of it shows that a
// request is kept for all of it.
const lastOf = 24

// RetainedToTheLast judges that requests which ended at once are still replayed
// when nearly all of the retention has gone by since their end.
func RetainedToTheLast(pick Pick) func(*harness.History) harness.Verdict {
	return keptAsRequired(func(h *harness.History) harness.Verdict {
		retention := h.Header.Policy.Checkout.Retention.Std()
		if retention <= 0 {
			return harness.Undecided("the profile declares no retention (policy.checkout.retention)")
		}
		clock, oldest := targetClockOf(h), time.Duration(0)
		for _, group := range groups(h, keyed(attempts(h, pick))) {
			end, v := endedAt(h, clock, group)
			if v.Outcome != harness.Pass {
				return v
			}
			last := time.Duration(0)
			for _, a := range group {
				age := clock.at(a.Invoke) - end.at
				if a.Invoke.Seq <= end.Done.Seq || age >= retention {
					continue
				}
				if v := answeredInTime(h, clock, a); v.Outcome != harness.Pass {
					return v
				}
				if expected, observed := differs(h.Header.Dialect, *end.Done.Answer, *a.Done.Answer); observed != "" {
					return harness.Failed(fmt.Sprintf("%s %s after it ended, of %s for which it is kept", expected, rounded(age), retention), observed, end.witness(), a.witness())
				}
				last = age
			}
			if last < retention-retention/lastOf {
				return harness.Undecided("the request of case "+label(h, end.Invoke.Case)+" was not repeated shortly before its retention was over", end.witness())
			}
			oldest = max(oldest, last)
		}
		if oldest == 0 {
			return harness.Undecided("no finished request was repeated shortly before its retention was over")
		}
		return harness.Passed(fmt.Sprintf("replayed %s after the end, of %s for which it is kept", rounded(oldest), retention))
	})
}

// openAfter reports whether a request was still open at some time after at.
func openAfter(h *harness.History, clock targetClock, group []attempt, at time.Duration) bool {
	return slices.ContainsFunc(group, func(a attempt) bool {
		return clock.at(a.Invoke) > at && (a.class(h) == harness.ClassPending || a.class(h) == harness.ClassInProgress)
	})
}

// keptAsRequired fails a target that declares to keep records for less than the
// requirement says, whatever it does.
func keptAsRequired(judge func(*harness.History) harness.Verdict) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		v := judge(h)
		declared, required := h.Header.Policy.Checkout.Retention.Std(), harness.RequiredPolicy().Checkout.Retention.Std()
		if declared >= required || v.Outcome == harness.Fail || v.Outcome == harness.Inconclusive && declared == 0 {
			return v
		}
		how := "a policy that declares a retention of " + declared.String()
		if h.Header.Requirements == "own" {
			if v.Outcome == harness.Pass {
				v.Reason += "; judged by " + how + " where the requirement says " + required.String() + " (requirements: own)"
			}
			return v
		}
		var seqs []int64
		for _, a := range attempts(h, All()) {
			seqs = append(seqs, a.witness())
		}
		if len(seqs) == 0 {
			return v
		}
		return harness.Failed("a retention of "+required.String()+" or more, as the requirement says", how+" (requirements: own judges it)", seqs...)
	}
}
