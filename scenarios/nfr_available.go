package scenarios

import (
	"context"
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

const (
	// unavailableRate is the rate of failures that 99.9 % leave.
	unavailableRate = 1e-3
	probeEvery      = 25 * time.Millisecond
	probesMost      = 200
)

// nfrAvailable probes the target at a fixed rate with new checkouts, replays and,
// where it has them, status reads in turn.
func nfrAvailable() harness.NFR {
	p := planned("at least 99.9 % of probes are answered, in the window of this run", unavailableRate, probesMost,
		"a new checkout, its replay and a read of its status in turn, one due every "+probeEvery.String())
	p.Stop += "; probes that are due in declared maintenance are left out, and listed"
	return harness.NFR{
		ID: "NFR-CHK-001", Clause: "NFR-CHK-001", Property: "is-available",
		Title:         "the target is probed at a fixed rate; an answer of the server's own failing, none, or one that comes too late counts against it",
		Needs:         harness.Needs{"checkout"},
		Preregistered: p,
		Limit:         5 * time.Minute,
		Drive:         driveProbes,
		Judge:         check.Available,
	}
}

// driveProbes sends each probe when it is due: a checkout, the same again
// whether or not the first has its answer yet, and a read.
func driveProbes(ctx context.Context, s *harness.Series) error {
	me := s.DefaultPrincipal()
	reads := offers(s.Target(), harness.CapStatus)
	kinds := 2
	if reads {
		kinds = 3
	}
	c := s.Case("standing")
	r := s.Send(ctx, c, harness.Attempt{Principal: me, Named: check.OpFirst})
	standing, err := watchable(r)
	if reads && err != nil {
		return err
	}
	return s.Paced(ctx, harness.Pace{Requests: s.Planned.N, Every: probeEvery, Most: s.Planned.Concurrency}, func(n int) (*harness.Case, harness.Attempt) {
		name := fmt.Sprintf("%s-%d", check.OpProbe, n)
		switch (n - 1) % kinds {
		case 0:
			c = s.Case(fmt.Sprintf("probed-%04d", n))
			return c, harness.Attempt{Principal: me, Named: name}
		case 1:
			return c, harness.Attempt{Principal: me, Named: name}
		}
		return c, harness.Attempt{Operation: harness.OpStatus, Principal: me, Named: name, Vars: map[string]any{"requestId": standing}}
	})
}
