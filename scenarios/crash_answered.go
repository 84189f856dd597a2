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

// crashAnswered kills the service right after it answered, and lets it die under
// requests at points that only itself can name. What waits to pay again is the
// matter of another scenario: each kill here would end the wait of whoever goes on
// with it.
func crashAnswered() harness.Scenario {
	every, held, exact := check.All(), check.Labelled("point-"), check.Labelled("exact-")
	return harness.Scenario{
		ID:        "crash/answered",
		Title:     "the process is killed right after an answer, with another request under way, and dies at each point that it can name; what was said holds, and every request ends, once",
		Needs:     harness.Needs{"checkout", "dependencies", "process-control", "status|crash-points"},
		Exclusive: true,
		Lasts:     6 * time.Second,
		Drive:     driveCrashAnswered,
		Checks: []harness.Check{
			supplement(needs(answers("SRS-CHK-001.47", "ends-in-bounded-time", check.BecomesTerminal(held)), "status")),
			supplement(needs(effects("SRS-CHK-001.47", "one-effect-of-each-kind", check.EachSucceeded(held, check.EffectsMatchSuccesses(held))), "status")),
			supplement(needs(effects("SRS-CHK-001.47", "at-most-once-effect", check.AtMostOnce(held)), "status")),
			supplement(needs(effects("SRS-CHK-001.47", "one-effect-after-exact-crash", check.DiedAtPoint(exact, check.EachSucceeded(exact, check.EffectsMatchSuccesses(exact)))), "crash-points")),
			needs(answers("SRS-CHK-002.16", "final-state-survives-crash", check.OutcomeSurvives(check.Labelled("final-"), harness.ClassSuccess)), "status"),
			needs(answers("SRS-CHK-002.20", "pending-survives-crash", check.OutcomeSurvives(check.Labelled("pending-"), harness.ClassPending)), "status"),
			invariant("I1", "at-most-once-effect", check.AtMostOnce(every)),
			invariant("I4", "becomes-terminal", check.BecomesTerminal(every)),
		},
	}
}

func driveCrashAnswered(ctx context.Context, s *harness.Session) error {
	pay, err := paying(s)
	if err != nil {
		return err
	}
	for _, point := range s.CrashPoints() {
		if err := s.CrashAt(ctx, s.Case("exact-"+point), point, harness.Attempt{Principal: s.DefaultPrincipal()}); err != nil {
			return err
		}
	}
	if !offers(s.Target(), harness.CapStatus) {
		return nil
	}
	lost := neverAnswered(pay)
	if err := killSoon(ctx, s, pay, "final-", finals, nil); err != nil {
		return err
	}
	return killSoon(ctx, s, pay, "pending-", pendings, &lost)
}

const (
	// kills is how many are tried for one that comes soon enough after an answer: on a
	// busy machine one may be late, and then shows nothing.
	kills = 3
	// slowKill is how late a kill is whose control is slow: the next would be, too.
	slowKill = 10 * check.KilledWithin
)

// killSoon kills until one kill came soon enough. What each of them showed is judged.
func killSoon(ctx context.Context, s *harness.Session, pay operation, prefix string, n int, fault *harness.Fault) error {
	for i := range kills {
		took, err := killAnswered(ctx, s, pay, fmt.Sprintf("%s%d-", prefix, i+1), n, fault)
		if err != nil || took <= check.KilledWithin || took > slowKill {
			return err
		}
	}
	return nil
}

// How many requests are under way when a process is killed right after the first
// answer: some have been answered, and others have not.
const (
	finals   = 4
	pendings = 1
)

// killAnswered sends requests and kills the process as soon as one of them is
// answered. One more, whose payment is held, shows when it died: it returns how long
// after the answer that was. Then it reads and repeats what was answered.
func killAnswered(ctx context.Context, s *harness.Session, pay operation, prefix string, n int, fault *harness.Fault) (took time.Duration, err error) {
	a := harness.Attempt{Principal: s.DefaultPrincipal()}
	witness := s.Case("point-under-way-" + prefix + "witness")
	held, err := s.Inject(ctx, witness, pay.fault(1, harness.CutBeforeForward, harness.Action{Name: harness.ActStall}))
	if err != nil {
		return 0, err
	}
	cases, results := make([]*harness.Case, n), make([]harness.Result, n)
	var faults []*harness.Injected
	for i := range cases {
		cases[i] = s.Case(fmt.Sprintf("%s%d", prefix, i+1))
		if fault == nil {
			continue
		}
		f, err := s.Inject(ctx, cases[i], *fault)
		if err != nil {
			return 0, err
		}
		faults = append(faults, f)
	}
	var callers sync.WaitGroup
	defer callers.Wait()
	var died time.Time
	callers.Go(func() {
		s.Send(ctx, witness, a)
		died = time.Now()
	})
	firing, cancel := context.WithTimeout(ctx, s.Target().Policy.Client.Read.Std())
	defer cancel()
	if err := held.Fired(firing); err != nil {
		return 0, err
	}
	answered := make(chan struct{}, n)
	for i := range cases {
		callers.Go(func() {
			results[i] = s.Send(ctx, cases[i], a)
			answered <- struct{}{}
		})
	}
	<-answered
	first := time.Now()
	if err := s.Restart(ctx); err != nil {
		return 0, err
	}
	callers.Wait()
	if err := held.Lift(ctx); err != nil {
		return 0, err
	}
	return died.Sub(first), errors.Join(harness.Parallel(n, func(i int) error {
		if results[i].Err == nil && results[i].Answer.RequestID != "" {
			read(ctx, s, cases[i], a.Principal, results[i].Answer.RequestID)
			s.Send(ctx, cases[i], a)
		}
		return nil
	}), liftAll(ctx, faults))
}
