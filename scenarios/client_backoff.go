package scenarios

import (
	"context"
	"fmt"
	"slices"

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
	// processCalls is how many calls each of two processes makes from its start.
	processCalls = 8
)

// backoff measures waits through the shim only, where a client that has made no
// call before can be had: each of its own draw.
func backoff() harness.Scenario {
	all := check.Labelled("wait-")
	return harness.Scenario{
		ID:    "client/backoff",
		Title: "a dependency fails twice in each of a hundred calls, and in a few of two processes where the client can be started again, and the waits between the attempts are measured at the dependency",
		Needs: harness.Needs{string(harness.CapDependency)},
		Timed: true,
		Drive: func(ctx context.Context, s *harness.Session) error {
			t := s.Target()
			script := answering(append(times(min(t.Policy.Client.Retries, 2), status(503)), status(200))...)
			var calls []calling
			for i := range waitCalls {
				calls = append(calls, calling{label: fmt.Sprintf("wait-%03d", i+1), script: script, call: freshly(t, get()), only: harness.RouteShim})
			}
			if err := driveCallings(ctx, s, calls, waitsAtOnce); err != nil {
				return err
			}
			return harness.Parallel(2, func(i int) error {
				return driveProcess(ctx, s, s.Case(fmt.Sprintf("process-%d@%s", i+1, harness.RouteShim)), script.Steps)
			})
		},
		Checks: []harness.Check{
			needs(timed(answers("SRS-RES-001.23", "waits-grow", check.WaitsGrow(all, waitCalls*9/10))), "declared-policy fresh-client"),
			needs(timed(answers("SRS-RES-001.24", "waits-differ", check.Retrying(check.WaitsDiffer(all, waitsNeeded)))), "fresh-client"),
			supplement(needs(timed(answers("SRS-RES-001.24", "processes-differ", check.Retrying(check.ProcessesDiffer(check.Labelled("process-"), processCalls)))), "fresh-client")),
			needs(timed(answers("SRS-RES-001.25", "no-hot-loop", check.NoHotLoop(all, waitsNeeded))), "declared-policy"),
			needs(timed(answers("SRS-RES-001.96", "declared-waits-are-true", check.WaitsAsDeclared(all, waitsNeeded))), "declared-policy"),
		},
	}
}

// driveProcess has a process of its own make a few calls one after the other, so
// that it draws its waits in a fixed order.
func driveProcess(ctx context.Context, s *harness.Session, c *harness.Case, steps []harness.Step) error {
	return s.InAnotherProcess(ctx, c, func(one func(harness.ClientCall) harness.Result) error {
		d, err := s.Dependency(ctx, c, harness.RouteShim, answering(slices.Repeat(steps, processCalls)...))
		if err != nil {
			return err
		}
		call := get()
		call.URL = d.URL() + "/items/" + harness.Item(c)
		for range processCalls {
			one(call) // what became of it is in the history
		}
		return d.Close(ctx)
	})
}
