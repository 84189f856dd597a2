package check

import (
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// ExpiredRuns excludes what is said of expired keys where the dialect takes them
// for new ones, or may.
func ExpiredRuns(d harness.Dialect) string {
	if d.Expired == "new" || d.Expired == "either" {
		return "may take an expired key for a new one (expired: " + d.Expired + ")"
	}
	return ""
}

// ExpiredRefused judges that a finished request is refused with 400 or 422, and
// reaches no dependency, once the target's clock is past the declared retention.
// Before that it has to be replayed, and after that a key that nobody used has to
// work, or the refusal would show nothing.
func ExpiredRefused(pick, unused Pick) func(*harness.History) harness.Verdict {
	return Unless(ExpiredRuns, func(h *harness.History) harness.Verdict {
		retention := h.Header.Policy.Checkout.Retention.Std()
		if retention <= 0 {
			return harness.Undecided("the profile declares no retention (policy.checkout.retention)")
		}
		clock, down, n := targetClockOf(h), downstreamOf(h), 0
		for _, group := range groups(h, keyed(attempts(h, pick))) {
			ended, v := endedAt(h, clock, group)
			if v.Outcome != harness.Pass {
				return v
			}
			late, replayed := 0, 0
			for _, a := range group {
				name := label(h, a.Invoke.Case)
				switch age := clock.at(a.Invoke) - ended.at; {
				case a.Invoke.Seq <= ended.Done.Seq:
				case !a.answered() || credentialsExpired(clock, a):
					return answeredInTime(h, clock, a)
				case age < retention:
					if expected, observed := differs(h.Header.Dialect, *ended.Done.Answer, *a.Done.Answer); observed != "" {
						return harness.Failed(fmt.Sprintf("%s after %s of %s", expected, rounded(age), retention), observed, ended.witness(), a.witness())
					}
					replayed++
				case a.Done.Answer.Status != 400 && a.Done.Answer.Status != 422:
					return harness.Failed(fmt.Sprintf("status 400 or 422 for a key that ended %s ago and is kept for %s (case %s)", rounded(age), retention, name), statusText(a), ended.witness(), a.witness())
				default:
					late++
					if v := down.untouched(h, a); v.Outcome != harness.Pass {
						return v
					}
				}
			}
			if late == 0 || replayed == 0 {
				return harness.Undecided(fmt.Sprintf("%d repeats within the retention and %d after it in case %s, and both are needed", replayed, late, label(h, ended.Invoke.Case)), ended.witness())
			}
			n += late
		}
		if n == 0 {
			return harness.Undecided("no finished request was repeated after its retention")
		}
		return worksThen(h, clock, unused, retention, n)
	})
}

// worksThen is the other half: after the retention a new key is executed.
func worksThen(h *harness.History, clock targetClock, unused Pick, retention time.Duration, n int) harness.Verdict {
	for _, a := range keyed(attempts(h, unused)) {
		if clock.at(a.Invoke) >= retention && a.class(h) == harness.ClassSuccess {
			return harness.Passed(fmt.Sprintf("%s refused after %s, a new key executed", several(n, "repeat"), retention), a.witness())
		}
	}
	return harness.Undecided("no new key was executed at the time at which the others had expired")
}

// ended is the answer that ended a request, and when that was by the target's
// clock.
type ended struct {
	attempt
	at time.Duration
}

// endedAt finds the first terminal answer of a group.
func endedAt(h *harness.History, clock targetClock, group []attempt) (ended, harness.Verdict) {
	for _, a := range group {
		if a.class(h) == harness.ClassSuccess || a.class(h) == harness.ClassDeclined {
			return ended{a, clock.at(a.Done)}, harness.Passed("ended")
		}
	}
	return ended{}, harness.Undecided("no request ended in case "+label(h, group[0].Invoke.Case), group[0].witness())
}

func rounded(d time.Duration) time.Duration { return d.Round(time.Second) }
