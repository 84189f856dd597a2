package scenarios

import (
	"context"
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// clientBackoff are the scenarios about the waits between attempts.
func clientBackoff() []harness.Scenario { return []harness.Scenario{backoff()} }

const (
	waitCalls   = 100 // how often the waits are measured
	waitsNeeded = 40  // how many of them a judgement takes at least
	// waitsAtOnce keeps what our own machine adds to a wait small.
	waitsAtOnce = 6
)

// backoff measures waits through the shim only, where a client that has made no
// call before can be had: each of its own draw.
func backoff() harness.Scenario {
	all := check.Labelled("wait-")
	return harness.Scenario{
		ID:    "client/backoff",
		Title: "a dependency fails twice in each of a hundred calls, and the waits between the attempts are measured at the dependency",
		Needs: harness.Needs{string(harness.CapDependency)},
		Timed: true,
		Drive: func(ctx context.Context, s *harness.Session) error {
			t := s.Target()
			script := answering(append(times(min(t.Policy.Client.Retries, 2), status(503)), status(200))...)
			var calls []calling
			for i := range waitCalls {
				calls = append(calls, calling{label: fmt.Sprintf("wait-%03d", i+1), script: script, call: freshly(t, get()), only: harness.RouteShim})
			}
			return driveCallings(ctx, s, calls, waitsAtOnce)
		},
		Checks: []harness.Check{
			needs(timed(answers("SRS-RES-001.23", "waits-grow", check.WaitsGrow(all, waitCalls*9/10))), "declared-policy fresh-client"),
			needs(timed(answers("SRS-RES-001.24", "waits-differ", check.Retrying(check.WaitsDiffer(all, waitsNeeded)))), "fresh-client"),
			needs(timed(answers("SRS-RES-001.25", "no-hot-loop", check.NoHotLoop(all, waitsNeeded))), "declared-policy"),
			needs(timed(answers("SRS-RES-001.96", "declared-waits-are-true", check.WaitsAsDeclared(all, waitsNeeded))), "declared-policy"),
		},
	}
}
