package scenarios

import (
	"context"
	"slices"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// clientTimes are the scenarios about time and attempts.
func clientTimes() []harness.Scenario {
	return slices.Concat(clientConnect(), clientDeadline(), clientCancel(), clientAttempts(), clientBackoff(), clientLeak())
}

// pacedScenario makes a scenario whose calls are made side by side, each of a
// dependency of its own. They follow from what the client declares: its
// dependency answers just within its limits, or just beyond them, and never tries
// more attempts than it makes.
func pacedScenario(id, title, needs string, build func(harness.TargetInfo) []calling, checks ...harness.Check) harness.Scenario {
	return harness.Scenario{
		ID: id, Title: title, Needs: harness.ParseNeeds(needs), Timed: measures(checks),
		Drive: func(ctx context.Context, s *harness.Session) error {
			return driveCallings(ctx, s, build(s.Target()), atOnce)
		},
		Checks: checks,
	}
}

// wholeCall says that a scenario lasts as long as a call may: one of its calls ends at
// its deadline.
func wholeCall(s harness.Scenario) harness.Scenario {
	s.Long = func(p harness.Policy) time.Duration { return p.Client.Total.Std() }
	return s
}

// measures reports whether a check compares times: only then a scenario is worth
// repeating where the harness was late.
func measures(checks []harness.Check) bool {
	return slices.ContainsFunc(checks, func(c harness.Check) bool { return c.Gates.Timing })
}

// atOnce is how many calls a scenario has under way at most.
const atOnce = 60

// driveCallings makes the calls, each on all of its routes, so many at a time.
func driveCallings(ctx context.Context, s *harness.Session, calls []calling, width int) error {
	type planned struct {
		calling
		route harness.Route
	}
	var all []planned
	for _, c := range calls {
		for _, route := range s.Routes() {
			if (c.only == "" || c.only == route) && (route != harness.RouteGateway || c.call.Method == "GET" || writes(s)) {
				all = append(all, planned{c, route})
			}
		}
	}
	slots := make(chan struct{}, width)
	return harness.Parallel(len(all), func(i int) error {
		slots <- struct{}{}
		defer func() { <-slots }()
		return driveCalling(ctx, s, all[i].calling, all[i].route)
	})
}

// offers reports whether the target has the capability.
func offers(t harness.TargetInfo, c harness.Capability) bool {
	return slices.Contains(t.Capabilities, c)
}

// freshly has a call made by a client that has made none before, where that can
// be had: what an earlier call taught it, a circuit breaker's state above all,
// must not decide the experiment.
func freshly(t harness.TargetInfo, c harness.ClientCall) harness.ClientCall {
	c.Fresh = offers(t, harness.CapFreshClient)
	return c
}

// part returns a share of a limit.
func part(d harness.Duration, share float64) time.Duration {
	return time.Duration(share * float64(d)).Round(time.Millisecond)
}

// after delays a step.
func after(d time.Duration, s harness.Step) harness.Step {
	s.Delay = harness.Duration(d)
	return s
}

// times repeats a step.
func times(n int, s harness.Step) []harness.Step { return slices.Repeat([]harness.Step{s}, n) }

// trickling is an answer whose body arrives byte by byte, a byte every fifth of
// the limit of an attempt: never idle, and not over in a minute.
func trickling(p harness.ClientPolicy) harness.Step {
	return harness.Step{Status: 200, Size: 60, Every: harness.Duration(part(p.Read, 0.2))}
}

// allAttempts is how many attempts the client declares to make.
func allAttempts(p harness.ClientPolicy) (least, most int) { return p.Retries + 1, p.Retries + 1 }

// repeated is allAttempts of what has to be repeated at all.
func repeated(p harness.ClientPolicy) (least, most int) {
	n := max(p.Retries, 1) + 1
	return n, n
}

// upToAllAttempts is at least one, and not more than declared.
func upToAllAttempts(p harness.ClientPolicy) (least, most int) { return 1, p.Retries + 1 }
