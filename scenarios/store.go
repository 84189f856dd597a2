package scenarios

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// storeOutage disturbs the link to the store in every way, one after the other,
// and restores it once: what a lease keeps busy meanwhile is free by then.
func storeOutage() harness.Scenario {
	every := check.All()
	down, slow := check.Labelled("cut-", "stalled-"), check.Labelled("slow-")
	paid, lost := check.Labelled("paid-"), check.Labelled("reserved-")
	once := func(clause harness.ClauseID, pick check.Pick) harness.Check {
		return effects(clause, "executes-once", check.EachSucceeded(pick, check.EffectsMatchSuccesses(pick)))
	}
	return harness.Scenario{
		ID:        "store/outage",
		Title:     "the store loses the answer of a reservation, is cut off while payments are held, goes silent and answers late; nothing is done without it, and once it is back every request ends once",
		Needs:     harness.Needs{"checkout", "store-link", "dependencies"},
		Exclusive: true,
		Lasts:     7 * time.Second,
		Drive:     driveOutage,
		Checks: []harness.Check{
			answers("SRS-CHK-001.49", "unavailable-without-a-call", check.FailsClosed(down, false)),
			answers("SRS-CHK-001.49", "slow-store-waited-for-or-refused", check.FailsClosed(slow, true)),
			once("SRS-CHK-001.49", check.Labelled("cut-", "stalled-", "slow-")),
			once("SRS-CHK-001.50", paid),
			effects("SRS-CHK-001.50", "at-most-once-effect", check.AtMostOnce(paid)),
			needs(answers("SRS-CHK-001.51", "no-lasting-conflict", check.NoLastingConflict(lost)), string(harness.CapStoreLoss)),
			needs(once("SRS-CHK-001.51", lost), string(harness.CapStoreLoss)),
			supplement(effects("SRS-CHK-001.49", "replay-has-no-effect", check.EffectsMatchSuccesses(check.Labelled("finished")))),
			invariant("I1", "at-most-once-effect", check.AtMostOnce(every)),
			invariant("I4", "becomes-terminal", check.BecomesTerminal(every)),
		},
	}
}

// latency of the slow store: longer than a caller of a store should wait.
const storeLatency = 5 * time.Second

// outageCrowd is how many requests come while the store is down in one way.
const outageCrowd = 4

func driveOutage(ctx context.Context, s *harness.Session) error {
	a := harness.Attempt{Principal: s.DefaultPrincipal()}
	finished := s.Case("finished")
	s.Send(ctx, finished, a)
	if offers(s.Target(), harness.CapStoreLoss) {
		if err := loseReservations(ctx, s, a); err != nil {
			return err
		}
	}
	asked, err := cutWhilePaying(ctx, s, a)
	if err != nil {
		return err
	}
	s.Send(ctx, finished, a)
	for _, way := range []struct {
		label string
		d     harness.StoreDisturbance
	}{
		{"cut", harness.StoreDisturbance{Mode: harness.StoreCut}},
		{"stalled", harness.StoreDisturbance{Mode: harness.StoreStall}},
		{"slow", harness.StoreDisturbance{Mode: harness.StoreSlow, Delay: storeLatency}},
	} {
		if err := s.DisturbStore(ctx, way.d); err != nil {
			return err
		}
		asked = append(asked, sendAll(ctx, s, a, way.label, way.d.String(), outageCrowd)...)
	}
	return storeBack(ctx, s, asked) // the engine then repeats all that is open
}

// sendAll sends requests with keys of their own side by side, while the store is
// down in some way.
func sendAll(ctx context.Context, s *harness.Session, a harness.Attempt, prefix, way string, n int) []*harness.Case {
	cases := make([]*harness.Case, n)
	for i := range cases {
		cases[i] = s.Case(fmt.Sprintf("%s-%d", prefix, i+1))
		s.Note(cases[i], check.MarkStoreDown, way, nil)
	}
	_ = harness.Parallel(n, func(i int) error { // what became of them is in the history
		s.Send(ctx, cases[i], a)
		return nil
	})
	return cases
}

// storeBack restores the store for what was asked without it.
func storeBack(ctx context.Context, s *harness.Session, asked []*harness.Case) error {
	for _, c := range asked {
		s.Note(c, check.MarkStoreUp, "", nil)
	}
	return s.RestoreStore(ctx)
}

// loseReservations lets the target believe that a reservation failed which was
// kept: once, which it may find out by itself, and each time, which only the
// caller's repetitions can bring to light.
func loseReservations(ctx context.Context, s *harness.Session, a harness.Attempt) error {
	for _, way := range []struct {
		label string
		d     harness.StoreDisturbance
		n     int
	}{
		{"reserved-once", harness.StoreDisturbance{Mode: harness.StoreLost, Writes: 1}, 1},
		{"reserved-always", harness.StoreDisturbance{Mode: harness.StoreLost}, 2},
	} {
		if err := s.DisturbStore(ctx, way.d); err != nil {
			return err
		}
		if err := storeBack(ctx, s, sendAll(ctx, s, a, way.label, way.d.String(), way.n)); err != nil {
			return err
		}
	}
	return nil
}

// cutWhilePaying cuts the link to the store while payments are held, before they
// reach the provider and after they are made, and lets them go on.
func cutWhilePaying(ctx context.Context, s *harness.Session, a harness.Attempt) ([]*harness.Case, error) {
	pay, err := paying(s)
	if err != nil {
		return nil, err
	}
	var callers sync.WaitGroup
	defer callers.Wait()
	var cases []*harness.Case
	var held []*harness.Injected
	for label, cut := range map[string]harness.Point{"paid-before-cut": harness.CutAfterCommit, "paid-after-cut": harness.CutBeforeForward} {
		c := s.Case(label)
		f, err := s.Inject(ctx, c, pay.fault(1, cut, harness.Action{Name: harness.ActStall}))
		if err != nil {
			return nil, err
		}
		cases, held = append(cases, c), append(held, f)
		callers.Go(func() { s.Send(ctx, c, a) })
	}
	firing, cancel := context.WithTimeout(ctx, s.Target().Policy.Client.Read.Std())
	defer cancel()
	for _, f := range held {
		if err := f.Fired(firing); err != nil {
			return nil, errors.Join(err, liftAll(ctx, held))
		}
	}
	if err := s.DisturbStore(ctx, harness.StoreDisturbance{Mode: harness.StoreCut}); err != nil {
		return nil, errors.Join(err, liftAll(ctx, held))
	}
	for _, c := range cases {
		s.Note(c, check.MarkStoreDown, string(harness.StoreCut), nil)
	}
	return cases, liftAll(ctx, held)
}
