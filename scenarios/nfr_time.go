package scenarios

import (
	"context"
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

const (
	// timesCallers are under way at once: as many as two processors serve without
	// being late themselves.
	timesCallers = 1500
	// lateRate is the rate of late calls that 99.99 % leave.
	lateRate = 1e-4
	// timesLimit bounds a series, many times over.
	timesLimit = 15 * time.Minute
)

// meets is a kind of dependency that calls of a series meet.
type meets struct {
	name   string
	script func(harness.ClientPolicy) harness.Script
}

// always makes a dependency that meets each request the same way.
func always(s harness.Step) func(harness.ClientPolicy) harness.Script {
	return func(harness.ClientPolicy) harness.Script { return answering(s) }
}

// behind makes a dependency that is behind a shut door.
func behind(kind harness.DoorKind) func(harness.ClientPolicy) harness.Script {
	return func(harness.ClientPolicy) harness.Script {
		return harness.Script{Door: harness.Door{Kind: kind, Told: true}}
	}
}

func silence() meets { return meets{name: "silent", script: always(breaking(harness.BreakSilent))} }
func hang() meets    { return meets{name: "connect-hang", script: behind(harness.DoorFull)} }
func stall() meets   { return meets{name: "tls-stall", script: behind(harness.DoorSilent)} }

// drip answers at once, and has so much to say that the body never ends in time.
func drip() meets {
	return meets{name: "trickle", script: func(p harness.ClientPolicy) harness.Script {
		return answering(harness.Step{Status: 200, Size: 256, Every: p.Read / 5})
	}}
}

// throttle asks for waits that add up to nearly all the time there is.
func throttle() meets {
	return meets{name: "retry-after", script: func(p harness.ClientPolicy) harness.Script {
		wait := max(1, int(0.4*p.Total.Std().Seconds()))
		return answering(status(429, [2]string{"Retry-After", fmt.Sprint(wait)}))
	}}
}

// others are faults that have no series of their own.
func others() []meets {
	return []meets{
		{name: "stalled body", script: always(harness.Step{Status: 200, Break: harness.BreakHeaders})},
		{name: "503", script: always(status(503))},
		{name: "reset", script: always(breaking(harness.BreakReset))},
		{name: "truncated body", script: always(harness.Step{Status: 200, Size: 4 << 10, Break: harness.BreakShort})},
	}
}

// nfrTimes are the strata of the requirement that calls end in time.
func nfrTimes() []harness.NFR {
	var list []harness.NFR
	alone := []meets{silence(), hang(), stall(), drip(), throttle()}
	for _, m := range alone {
		list = append(list, nfrTime(m.name, m))
	}
	return append(list, nfrTime("mixed", append(alone, others()...)...))
}

func nfrTime(stratum string, kinds ...meets) harness.NFR {
	var mix []string
	for _, k := range kinds {
		mix = append(mix, fmt.Sprintf("%s: 1 of %d calls", k.name, len(kinds)))
	}
	return harness.NFR{
		ID: "NFR-RES-001/" + stratum, Clause: "NFR-RES-001", Property: "ends-in-time",
		Title:         "calls of a dependency that fails this way all end, with their sockets closed, within the deadline and half a second",
		Needs:         harness.Needs{string(harness.CapDependency)},
		Preregistered: planned("99.99 % of calls end within 10.5 s, cleanup included", lateRate, timesCallers, mix...),
		Limit:         timesLimit,
		Drive:         func(ctx context.Context, s *harness.Series) error { return driveTimes(ctx, s, kinds) },
		Judge:         check.EndsInTime,
	}
}

// driveTimes draws for each call which dependency it meets, so that each is met
// by the same number of calls, or nearly so.
func driveTimes(ctx context.Context, s *harness.Series, kinds []meets) error {
	p := s.Target().Policy.Client
	var open []*harness.Dependency
	for _, k := range kinds {
		d, err := s.Dependency(ctx, s.Case(k.name), harness.RouteShim, k.script(p))
		if err != nil {
			return err
		}
		open = append(open, d)
	}
	drawn := make([]uint8, s.Planned.N)
	for i := range drawn {
		drawn[i] = uint8(i % len(kinds))
	}
	s.Rand().Shuffle(len(drawn), func(i, j int) { drawn[i], drawn[j] = drawn[j], drawn[i] })
	crowd := harness.Crowd{Name: harness.CrowdCounted, Calls: s.Planned.N, Callers: s.Planned.Concurrency, Spread: p.Total.Std()}
	if err := s.Make(ctx, crowd, func(n int) harness.Wanted {
		d := open[drawn[n-1]]
		return harness.Wanted{Of: d, Route: harness.RouteShim, Call: harness.ClientCall{Method: "GET", URL: d.URL() + "/items/" + d.Item()}}
	}); err != nil {
		return err
	}
	// What the last calls leave behind shows once their time is over.
	if err := s.Watch(ctx, p.Total.Std()+2*check.Cleanup); err != nil {
		return err
	}
	s.Note(nil, harness.MarkWatchedPeer, "the dependencies were watched until here", nil)
	for _, d := range open {
		if err := d.Close(ctx); err != nil {
			return err
		}
	}
	return nil
}
