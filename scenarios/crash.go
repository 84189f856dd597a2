package scenarios

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// crash kills the service once under many requests: a kill costs the same whoever
// it meets.
func crash() harness.Scenario {
	every, held := check.All(), check.Labelled("point-")
	return harness.Scenario{
		ID:        "crash/kill",
		Title:     "the process is killed at every point of a checkout that can be held from outside, and between two attempts; every request ends, once",
		Needs:     harness.Needs{"checkout", "dependencies", "process-control"},
		Exclusive: true,
		Lasts:     8 * time.Second,
		Drive:     driveCrash,
		Checks: []harness.Check{
			answers("SRS-CHK-001.24", "key-known-after-crash", check.KnownAfterCrash(check.Labelled("point-after-reserve"))),
			answers("SRS-CHK-001.47", "ends-in-bounded-time", check.BecomesTerminal(held)),
			effects("SRS-CHK-001.47", "one-effect-of-each-kind", check.EachSucceeded(held, check.EffectsMatchSuccesses(held))),
			effects("SRS-CHK-001.47", "at-most-once-effect", check.AtMostOnce(held)),
			answers("SRS-CHK-002.30", "attempts-survive-crash", check.AttemptsSurvive(check.Labelled("waiting"))),
			invariant("I1", "at-most-once-effect", check.AtMostOnce(every)),
			invariant("I4", "becomes-terminal", check.BecomesTerminal(every)),
		},
	}
}

func driveCrash(ctx context.Context, s *harness.Session) error {
	pay, err := paying(s)
	if err != nil {
		return err
	}
	waiting, err := crashHeld(ctx, s, pay)
	if err != nil {
		return err
	}
	return awaitAttempts(ctx, s, waiting)
}

// crashPoint is a place at which a request is held while its process dies.
type crashPoint struct {
	label string
	fault harness.Fault
}

// crashPoints are those that can be reached from outside: before the request
// arrives, before and after each effect, and after the answer was given. Each of
// them has been there in the record of some system that lost its way afterwards.
func crashPoints(ops []operation) []crashPoint {
	stall := harness.Action{Name: harness.ActStall}
	client := func(cut harness.Point) harness.Fault {
		return harness.Fault{Link: harness.LinkClient, Operation: harness.OpCheckout, Exchange: 1, Cut: harness.Cut{Point: cut}, Action: stall}
	}
	points := []crashPoint{{"point-before-reserve", client(harness.CutBeforeForward)}}
	for _, o := range ops {
		points = append(points,
			crashPoint{"point-after-reserve-before-" + o.link, o.fault(1, harness.CutBeforeForward, stall)},
			crashPoint{"point-after-effect-" + o.link, o.fault(1, harness.CutAfterCommit, stall)})
	}
	return append(points, crashPoint{"point-after-store", client(harness.CutAfterCommit)})
}

// crashHeld holds requests at all points, lets a payment fail, and kills the
// process while it waits to pay again. Then it asks of each whose key has to be
// known whether it is.
func crashHeld(ctx context.Context, s *harness.Session, pay operation) (failingCase, error) {
	calling, hangUp := context.WithCancelCause(ctx)
	var callers sync.WaitGroup
	defer callers.Wait()
	defer hangUp(nil)
	a := harness.Attempt{Principal: s.DefaultPrincipal()}
	send := func(c *harness.Case) { callers.Go(func() { s.Send(calling, c, a) }) }

	points := crashPoints(effecting(s))
	cases, faults := make([]*harness.Case, len(points)), make([]*harness.Injected, len(points))
	for i, p := range points {
		cases[i] = s.Case(p.label)
		var err error
		if faults[i], err = s.Inject(ctx, cases[i], p.fault); err != nil {
			return failingCase{}, err
		}
		send(cases[i])
	}
	firing, cancel := context.WithTimeout(ctx, s.Target().Policy.Client.Read.Std())
	defer cancel()
	for _, f := range faults {
		if err := f.Fired(firing); err != nil {
			return failingCase{}, err
		}
	}
	waiting, err := failingFor(ctx, s, s.Case("waiting"), pay)
	if err != nil {
		return failingCase{}, err
	}
	send(waiting.c)
	if err := waiting.faults[0].Fired(firing); err != nil {
		return failingCase{}, err
	}
	if err := s.Watch(ctx, noticing); err != nil { // what it was answered is written down by then
		return failingCase{}, err
	}
	waiting.killed = waiting.made()
	if err := s.Restart(ctx); err != nil {
		return failingCase{}, err
	}
	hangUp(errors.New("the caller hung up"))
	callers.Wait()
	for _, f := range faults {
		if err := f.Lift(ctx); err != nil {
			return failingCase{}, err
		}
	}
	return waiting, harness.Parallel(len(points), func(i int) error {
		if points[i].fault.Link == harness.LinkClient || points[i].fault.Cut.Point != harness.CutBeforeForward {
			return nil
		}
		impatient(ctx, s, cases[i], changed(cases[i], a.Principal))
		return nil
	})
}

func liftAll(ctx context.Context, faults []*harness.Injected) error {
	var errs []error
	for _, f := range faults {
		errs = append(errs, f.Lift(ctx))
	}
	return errors.Join(errs...)
}
