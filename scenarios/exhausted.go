package scenarios

import (
	"context"
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// boundedScenarios are those about how often, and when, a call is repeated.
func boundedScenarios() []harness.Scenario {
	return []harness.Scenario{exhausted(), keylessRefused(), keylessLost(), waitsBetween(), askedForPatience()}
}

// exhausted lets each dependency fail on every call, in each way that is over at
// once: a silent one takes up its time before its attempts.
func exhausted() harness.Scenario {
	every := check.All()
	return harness.Scenario{
		ID:    "retry/exhausted",
		Title: "each dependency fails on every call, by 429, 500, 503 and a reset; it is called as often as declared, and not more",
		Needs: harness.Needs{"checkout", "dependencies"},
		Lasts: 3 * time.Second,
		Drive: func(ctx context.Context, s *harness.Session) error {
			var cases []failing
			for _, o := range effecting(s) {
				for _, status := range []int{429, 500, 503} {
					cases = append(cases, failing{fmt.Sprintf("%s-%d", o.link, status), []harness.Fault{onEvery(o, harness.Action{Name: harness.ActStatus, Status: status})}})
				}
				cases = append(cases, failing{o.link + "-reset", []harness.Fault{o.fault(0, harness.CutBeforeForward, harness.Action{Name: harness.ActReset})}})
			}
			if len(cases) == 0 {
				return errNothingEffecting
			}
			return harness.Parallel(len(cases), func(i int) error { return driveFailing(ctx, s, cases[i]) })
		},
		Checks: []harness.Check{
			answers("SRS-CHK-002.09", "attempts-bounded", check.AttemptsExactly(every)),
			invariant("I1", "at-most-once-effect", check.AtMostOnce(every)),
			invariant("I4", "becomes-terminal", check.BecomesTerminal(every)),
		},
	}
}

const (
	waitsWanted = 40
	// waitsApart is the time between two checkouts that begin. Those that began
	// together would fail together, and without jitter meet again at the store, whose
	// queue would then look like jitter.
	waitsApart = 60 * time.Millisecond
)

// waitsBetween measures the waits of a target between its attempts.
func waitsBetween() harness.Scenario {
	every := check.All()
	return harness.Scenario{
		ID:    "retry/backoff",
		Title: "the payment fails twice in each of forty checkouts, and the waits between its attempts are measured at the dependency",
		Needs: harness.Needs{"checkout", "dependencies"},
		// Beside others the store's own waits would be as long as what is measured.
		Exclusive: true,
		Lasts:     3 * time.Second,
		Timed:     true,
		Drive: func(ctx context.Context, s *harness.Session) error {
			pay, err := paying(s)
			if err != nil {
				return err
			}
			failures := min(2, s.Target().Policy.Checkout.Attempts-1)
			return harness.Parallel(waitsWanted, func(i int) error {
				if err := s.Watch(ctx, time.Duration(i)*waitsApart); err != nil {
					return err
				}
				var faults []harness.Fault
				for n := range failures {
					faults = append(faults, pay.fault(n+1, harness.CutBeforeForward, harness.Action{Name: harness.ActStatus, Status: 503}))
				}
				return driveFailing(ctx, s, failing{fmt.Sprintf("wait-%02d", i+1), faults})
			})
		},
		Checks: []harness.Check{
			timed(answers("SRS-CHK-002.10", "waits-grow", check.DependencyWaitsGrow(every, waitsWanted))),
			timed(answers("SRS-CHK-002.11", "waits-differ", check.DependencyWaitsDiffer(every, waitsWanted))),
		},
	}
}

// What a dependency asks for: a wait that fits into the deadline of a call, and
// one that fits into no deadline.
const (
	patienceFits   = 2 * time.Second
	patienceBeyond = time.Hour
)

// askedForPatience lets each dependency ask for a wait.
func askedForPatience() harness.Scenario {
	return harness.Scenario{
		ID:    "retry/retry-after",
		Title: "each dependency answers 429 once and asks for 2 s, or for an hour; the next call comes then, or not within the deadline",
		Needs: harness.Needs{"checkout", "dependencies"},
		Timed: true,
		Drive: func(ctx context.Context, s *harness.Session) error {
			var cases []failing
			for _, o := range effecting(s) {
				for label, d := range map[string]time.Duration{"fits": patienceFits, "beyond": patienceBeyond} {
					asks := harness.Action{Name: harness.ActStatus, Status: 429, RetryAfter: fmt.Sprint(int(d.Seconds()))}
					cases = append(cases, failing{label + "-" + o.link, []harness.Fault{o.fault(1, harness.CutBeforeForward, asks)}})
				}
			}
			if len(cases) == 0 {
				return errNothingEffecting
			}
			return harness.Parallel(len(cases), func(i int) error { return driveFailing(ctx, s, cases[i]) })
		},
		Checks: []harness.Check{
			timed(answers("SRS-CHK-002.12", "waits-as-asked", check.DependencyWaitsAsAsked(check.Labelled("fits-"), patienceFits))),
			timed(answers("SRS-CHK-002.12", "not-before-asked", check.NotBeforeAsked(check.Labelled("beyond-")))),
		},
	}
}
