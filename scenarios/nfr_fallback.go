package scenarios

import (
	"context"
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

const (
	// fallbackCallers are under way at once; a failing dependency holds most of
	// them for less than a second.
	fallbackCallers = 100
	// missRate is the rate of misses that 99.9 % leave.
	missRate = 1e-3
	// fallbackLimit bounds the series. What is stored is younger than that.
	fallbackLimit = 8 * time.Minute
)

// failureShare is a way in which a dependency of a gateway fails, with its share of
// twenty calls.
type failureShare struct {
	name  string
	share int
	step  harness.Step
}

func fallbackMix() []failureShare {
	return []failureShare{
		{"503", 10, status(503)},
		{"reset", 6, breaking(harness.BreakReset)},
		{"429", 2, status(429)},
		{"silent", 2, breaking(harness.BreakSilent)},
	}
}

// nfrFallback stores a result for each call that counts, of an item that no other
// call asks for: a store that loses some of them is found out.
func nfrFallback() harness.NFR {
	var mix []string
	for _, f := range fallbackMix() {
		mix = append(mix, fmt.Sprintf("%s: %d of 20 calls", f.name, f.share))
	}
	return harness.NFR{
		ID: "NFR-RES-002", Clause: "NFR-RES-002", Property: "fallback-is-served",
		Title:         "the dependency of a gateway fails; callers who are owed a stored result get it",
		Needs:         harness.Needs{string(harness.CapGateway), string(harness.CapFallbackSeed)},
		Preregistered: planned("at least 99.9 % of eligible requests return the fallback", missRate, fallbackCallers, mix...),
		Limit:         fallbackLimit,
		Drive:         driveFallbacks,
		Judge:         check.FallbacksServed,
	}
}

func driveFallbacks(ctx context.Context, s *harness.Series) error {
	mix := fallbackMix()
	var drawn []int // of twenty calls
	var cases []*harness.Case
	for i, f := range mix {
		cases = append(cases, s.Case(f.name))
		for range f.share {
			drawn = append(drawn, i)
		}
	}
	s.Rand().Shuffle(len(drawn), func(i, j int) { drawn[i], drawn[j] = drawn[j], drawn[i] })
	// phase makes one call for each that counts, of dependencies that behave so.
	phase := func(name string, steps func(failureShare) harness.Step) error {
		open := make([]*harness.Dependency, len(mix))
		for i, f := range mix {
			d, err := s.Dependency(ctx, cases[i], harness.RouteGateway, answering(steps(f)))
			if err != nil {
				return err
			}
			open[i] = d
		}
		crowd := harness.Crowd{Name: name, Calls: s.Planned.N, Callers: s.Planned.Concurrency, Spread: time.Second}
		if err := s.Make(ctx, crowd, func(n int) harness.Wanted {
			return harness.Wanted{Of: open[drawn[n%len(drawn)]], Route: harness.RouteGateway, Call: harness.ClientCall{Method: "GET"}}
		}); err != nil {
			return err
		}
		for _, d := range open {
			if err := d.Close(ctx); err != nil {
				return err
			}
		}
		return nil
	}
	if err := phase(check.CrowdSeed, func(failureShare) harness.Step { return status(200) }); err != nil {
		return err
	}
	return phase(harness.CrowdCounted, func(f failureShare) harness.Step { return f.step })
}
