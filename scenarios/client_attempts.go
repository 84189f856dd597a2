package scenarios

import (
	"context"
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// clientAttempts are the scenarios that count attempts where they are made: at
// the dependency.
func clientAttempts() []harness.Scenario {
	return []harness.Scenario{attemptsBounded(), hiddenReplay()}
}

func attemptsBounded() harness.Scenario {
	fine := check.Labelled("fine-after-")
	failing, mixed := at("exhausted", "closing", "resetting", "throttled", "broken"), at("closing-then-failing", "failing-then-closing")
	return pacedScenario("client/attempts",
		"a dependency fails for good, or recovers after one or two failures; the client stops after its last attempt, and at its first success",
		"dependency",
		func(t harness.TargetInfo) []calling {
			p := t.Policy.Client
			calls := []calling{
				{label: "exhausted", script: answering(status(503)), call: freshly(t, get())},
				{label: "closing", script: answering(breaking(harness.BreakClose)), call: freshly(t, get())},
				{label: "resetting", script: answering(breaking(harness.BreakReset)), call: freshly(t, get())},
				{label: "throttled", script: answering(status(429)), call: freshly(t, get())},
				{label: "broken", script: answering(status(500)), call: freshly(t, get())},
			}
			// A count of its own for each kind of failure never shows while all are of one.
			for _, c := range []struct {
				label       string
				first, then harness.Step
			}{
				{"closing-then-failing", breaking(harness.BreakClose), status(503)},
				{"failing-then-closing", status(503), breaking(harness.BreakClose)},
			} {
				calls = append(calls, calling{label: c.label, script: answering(append(times(min(p.Retries, 1), c.first), c.then)...), call: freshly(t, get())})
			}
			for failures := range min(p.Retries, 2) + 1 {
				calls = append(calls, calling{label: fmt.Sprintf("fine-after-%d", failures), script: answering(append(times(failures, status(503)), status(200))...), call: get()})
			}
			return calls
		},
		needs(answers("SRS-RES-001.20", "attempts-are-bounded", check.NoLooser(check.LimitRetries, check.Every(
			check.SendsBy(at("exhausted"), allAttempts),
			check.SendsBy(at("closing"), upToAllAttempts),
			check.SendsBy(mixed, allAttempts),
			check.Returns(mixed, check.Outcome{Failure: true})))), "fresh-client"),
		supplement(needs(answers("SRS-RES-001.20", "connections-are-bounded", check.ConnectsBy(check.Labelled("closing@"+string(harness.RouteShim)), upToAllAttempts)), "fresh-client")),
		answers("SRS-RES-001.22", "stops-on-success", check.Every(
			check.StopsOnSuccess(fine),
			check.Returns(fine, check.Outcome{Response: true, Statuses: []int{200}}))),
		answers("SRS-RES-001.90", "load-is-not-amplified", check.Amplification(failing)),
		needs(answers("SRS-RES-001.96", "declared-retries-are-true", check.SendsBy(at("exhausted"), allAttempts)), "declared-policy"),
	)
}

// hiddenReplay leaves idle connections behind before the call that counts: a
// transport that finds one of them dead takes the next, unasked.
func hiddenReplay() harness.Scenario {
	last := []struct {
		label string
		call  harness.ClientCall
		keyed bool
		only  harness.Route
	}{
		{label: "get", call: get()},
		{label: "keyed", call: post(""), keyed: true},
		{label: "plain", call: post(""), only: harness.RouteShim}, // a gateway need not take one
	}
	return harness.Scenario{
		ID:    "client/hidden-replay",
		Title: "five connections are idle when a dependency begins to close each one after the request; what the transport sends again by itself counts, too",
		Needs: harness.Needs{string(harness.CapDependency)},
		Drive: func(ctx context.Context, s *harness.Session) error {
			return harness.Parallel(len(last), func(i int) error {
				for _, route := range s.Routes() {
					if last[i].only != "" && last[i].only != route {
						continue
					}
					c, call := s.Case(last[i].label+"@"+string(route)), last[i].call
					if last[i].keyed {
						call.Key = c.Key
					}
					if err := driveHiddenReplay(ctx, s, c, route, call); err != nil {
						return err
					}
				}
				return nil
			})
		},
		Checks: []harness.Check{
			answers("SRS-RES-001.21", "hidden-replays-count", check.Every(
				check.SendsLast(at("get", "keyed"), upToAllAttempts),
				check.SendsLast(at("plain"), func(harness.ClientPolicy) (int, int) { return 1, 1 }))),
		},
	}
}

// idle is how many connections wait for the call that counts.
const idle = 5

// warming keeps an answer back until all of the calls that warm connections are
// under way, so that each of them takes one of its own.
const warming = 300 * time.Millisecond

func driveHiddenReplay(ctx context.Context, s *harness.Session, c *harness.Case, route harness.Route, call harness.ClientCall) error {
	d, err := s.Dependency(ctx, c, route, answering(append(times(idle, after(warming, status(200))), breaking(harness.BreakClose))...))
	if err != nil {
		return err
	}
	url := d.URL() + "/items/" + harness.Item(c)
	_ = harness.Parallel(idle, func(int) error { // what became of them is in the history
		warm := get()
		warm.URL = url
		s.Call(ctx, c, route, warm)
		return nil
	})
	call.URL = url
	s.Call(ctx, c, route, call)
	s.Note(c, harness.MarkWatchedPeer, "the dependency was watched until here", nil)
	return d.Close(ctx)
}
