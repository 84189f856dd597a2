package scenarios

import (
	"context"
	"slices"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// clientLeak are the scenarios about what calls leave behind.
func clientLeak() []harness.Scenario { return []harness.Scenario{leak()} }

const (
	slowFaults  = 20 // that end at the limit of an attempt
	quickFaults = 30 // that end at once
	hungDials   = 10
	// recovering calls are made beside the slow ones, one after the other: as many as
	// fit, but enough for what each leaves behind to be more than a client may keep.
	recoveringLeast, recoveringMost = 3, 8
	// leftIdle is how many connections a client may keep for its next call.
	leftIdle = 2
	// leakSettle is what a client gets to close what it is done with.
	leakSettle = time.Second
)

// leak runs alone: the client's sockets are those of all calls that are under
// way. Slow faults meet calls side by side, quick ones come one after the other,
// so that a client that keeps connections for reuse has no need of a second one.
func leak() harness.Scenario {
	faulted, recovering := at("faulted"), at("recovering")
	return harness.Scenario{
		ID:        "client/leak",
		Title:     "sixty calls meet a fault each, and a few recover from two; afterwards the client holds as many sockets as before",
		Needs:     harness.Needs{string(harness.CapDependency)},
		Exclusive: true, ClientOnly: true,
		Lasts: 7 * time.Second,
		Timed: true,
		Drive: driveLeak,
		Checks: []harness.Check{
			needs(timed(answers("SRS-RES-001.16", "sockets-are-given-back", check.Every(
				check.SocketsBack(faulted, slowFaults+quickFaults, leftIdle),
				check.ConnectionsLeft(faulted, leftIdle)))), "socket-stats"),
			supplement(timed(answers("SRS-RES-001.16", "connections-are-given-back", check.Every(
				check.ConnectionsLeft(faulted, leftIdle),
				check.ConnectionsLeft(recovering, leftIdle))))),
		},
	}
}

// leakScript has a step for each of the faulted calls, none of which is sent
// twice: they are posts without a key.
func leakScript() harness.Script {
	slow := []harness.Step{breaking(harness.BreakSilent), {Status: 200, Break: harness.BreakHeaders}, {Status: 503, Break: harness.BreakHeaders}}
	quick := []harness.Step{{Status: 503, Size: 200 << 10}, {Status: 200, Size: 64 << 10, Break: harness.BreakShort}, breaking(harness.BreakReset),
		{Status: 404, Size: 64 << 10, Chunked: true}, {Status: 200, Size: 64 << 10, Break: harness.BreakCut}, breaking(harness.BreakClose)}
	var steps []harness.Step
	for i := range slowFaults {
		steps = append(steps, slow[i%len(slow)])
	}
	for i := range quickFaults {
		steps = append(steps, quick[i%len(quick)])
	}
	return harness.Script{Steps: steps}
}

// recoveringScript fails each call until it has one attempt left.
func recoveringScript(t harness.TargetInfo) harness.Script {
	var steps []harness.Step
	for range recoveringCalls(t) {
		steps = append(steps, times(min(t.Policy.Client.Retries, 2), harness.Step{Status: 503, Size: 200 << 10})...)
		steps = append(steps, status(200))
	}
	return harness.Script{Steps: steps}
}

// recoveringCalls is how many such calls take no longer than a slow fault, by the
// waits that the client declares.
func recoveringCalls(t harness.TargetInfo) int {
	if t.Client == nil || t.Client.Backoff.Base <= 0 {
		return recoveringLeast
	}
	var waits time.Duration
	for n := range min(t.Policy.Client.Retries, 2) {
		_, longest := t.Client.Backoff.Bounds(n + 1)
		waits += longest
	}
	return max(recoveringLeast, min(recoveringMost, int(t.Policy.Client.Read.Std()/max(waits, 1))))
}

func driveLeak(ctx context.Context, s *harness.Session) error {
	if !slices.Contains(s.Routes(), harness.RouteShim) {
		return nil // behind a gateway nobody can count, and nothing is judged
	}
	faulted, hung := s.Case("faulted@"+string(harness.RouteShim)), s.Case("hung@"+string(harness.RouteShim))
	d, err := s.Dependency(ctx, faulted, harness.RouteShim, leakScript())
	if err != nil {
		return err
	}
	full, err := s.Dependency(ctx, hung, harness.RouteShim, harness.Script{Door: harness.Door{Kind: harness.DoorFull}})
	if err != nil {
		return err
	}
	recovering := s.Case("recovering@" + string(harness.RouteShim))
	again, err := s.Dependency(ctx, recovering, harness.RouteShim, recoveringScript(s.Target()))
	if err != nil {
		return err
	}
	counted := offers(s.Target(), harness.CapSocketStats)
	count := func() error {
		if !counted {
			return nil
		}
		return s.Sockets(ctx, faulted)
	}
	if err := count(); err != nil {
		return err
	}
	one := func(c *harness.Case, d *harness.Dependency, call harness.ClientCall) {
		call.URL = d.URL() + "/items/" + harness.Item(c)
		s.Call(ctx, c, harness.RouteShim, call)
	}
	_ = harness.Parallel(slowFaults+hungDials+1, func(i int) error { // what became of them is in the history
		switch {
		case i < slowFaults:
			one(faulted, d, post(""))
		case i < slowFaults+hungDials:
			one(hung, full, post(""))
		default:
			for range recoveringCalls(s.Target()) {
				one(recovering, again, get())
			}
		}
		return nil
	})
	// A client that repeats what may be sent only once takes its time with each call,
	// and has shown what it leaves behind long before the last.
	limit := 2 * s.Target().Policy.Client.Total.Std()
	for i, began := 0, time.Now(); i < quickFaults && time.Since(began) < limit; i++ {
		one(faulted, d, post(""))
	}
	if err := s.Watch(ctx, leakSettle); err != nil {
		return err
	}
	if err := count(); err != nil {
		return err
	}
	for _, c := range []*harness.Case{faulted, recovering} {
		s.Note(c, harness.MarkWatchedPeer, "the dependency was watched until here", nil)
	}
	if err := again.Close(ctx); err != nil {
		return err
	}
	if err := full.Close(ctx); err != nil {
		return err
	}
	return d.Close(ctx)
}
