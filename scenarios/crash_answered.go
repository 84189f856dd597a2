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
		Title:     "the process is killed right after it told a success, a decline, or that it does not know yet, with another request under way, and dies at each point that it can name; what was said holds, and every request ends, once",
		Needs:     harness.Needs{"checkout", "dependencies", "process-control", "status|crash-points"},
		Exclusive: true,
		Lasts:     7 * time.Second,
		Drive:     driveCrashAnswered,
		Checks: []harness.Check{
			supplement(needs(answers("SRS-CHK-001.47", "ends-in-bounded-time", check.BecomesTerminal(held)), "status")),
			supplement(needs(effects("SRS-CHK-001.47", "one-effect-of-each-kind", check.EachSucceeded(held, check.EffectsMatchSuccesses(held))), "status")),
			supplement(needs(effects("SRS-CHK-001.47", "at-most-once-effect", check.AtMostOnce(held)), "status")),
			supplement(needs(effects("SRS-CHK-001.47", "one-effect-after-exact-crash", check.DiedAtPoint(exact, check.EachSucceeded(exact, check.EffectsMatchSuccesses(exact)))), "crash-points")),
			needs(answers("SRS-CHK-002.16", "final-state-survives-crash", check.OutcomeSurvives(check.Labelled("final-"), harness.ClassSuccess)), "status"),
			needs(answers("SRS-CHK-002.16", "decline-survives-crash", keepsDeclines(check.OutcomeSurvives(check.Labelled("declined-"), harness.ClassDeclined))), "status decline"),
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
	me, lost := harness.Attempt{Principal: s.DefaultPrincipal()}, neverAnswered(pay)
	sets := []killed{{prefix: "final-", n: finals, a: me}, {prefix: "pending-", n: pendings, a: me, fault: &lost}}
	if offers(s.Target(), harness.CapDecline) {
		declined := me
		declined.Variant = variantDeclined
		sets = append(sets, killed{prefix: "declined-", n: finals, a: declined})
	}
	for _, k := range sets {
		if err := k.soon(ctx, s, pay); err != nil {
			return err
		}
	}
	return nil
}

// killed are n requests of one kind, right after whose first answer the process is
// killed.
type killed struct {
	prefix string
	n      int
	a      harness.Attempt
	fault  *harness.Fault // each meets it, nil for none
}

const (
	// kills is how many are tried for one that comes soon enough after an answer: on a
	// busy machine one may be late, and then shows nothing.
	kills = 3
	// slowKill is how late a kill is whose control is slow: the next would be, too.
	slowKill = 10 * check.KilledWithin
)

// soon kills until one kill came soon enough. What each of them showed is judged.
func (k killed) soon(ctx context.Context, s *harness.Session, pay operation) error {
	for i := range kills {
		took, err := k.once(ctx, s, pay, fmt.Sprintf("%s%d-", k.prefix, i+1))
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

// once sends the requests and kills the process as soon as one of them is answered.
// One more, whose payment is held, shows when it died: it returns how long after the
// answer that was. Then it reads and repeats what was answered.
func (k killed) once(ctx context.Context, s *harness.Session, pay operation, prefix string) (took time.Duration, err error) {
	witness := s.Case("point-under-way-" + prefix + "witness")
	held, err := s.Inject(ctx, witness, pay.fault(1, harness.CutBeforeForward, harness.Action{Name: harness.ActStall}))
	if err != nil {
		return 0, err
	}
	cases, results := make([]*harness.Case, k.n), make([]harness.Result, k.n)
	var faults []*harness.Injected
	for i := range cases {
		cases[i] = s.Case(fmt.Sprintf("%s%d", prefix, i+1))
		if k.fault == nil {
			continue
		}
		f, err := s.Inject(ctx, cases[i], *k.fault)
		if err != nil {
			return 0, err
		}
		faults = append(faults, f)
	}
	var callers sync.WaitGroup
	defer callers.Wait()
	var died time.Time
	callers.Go(func() {
		s.Send(ctx, witness, harness.Attempt{Principal: k.a.Principal})
		died = time.Now()
	})
	firing, cancel := context.WithTimeout(ctx, s.Target().Policy.Client.Read.Std())
	defer cancel()
	if err := held.Fired(firing); err != nil {
		return 0, err
	}
	answered := make(chan struct{}, k.n)
	for i := range cases {
		callers.Go(func() {
			results[i] = s.Send(ctx, cases[i], k.a)
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
	return died.Sub(first), errors.Join(harness.Parallel(k.n, func(i int) error {
		if results[i].Err == nil && results[i].Answer.RequestID != "" {
			read(ctx, s, cases[i], k.a.Principal, results[i].Answer.RequestID)
			s.Send(ctx, cases[i], k.a)
		}
		return nil
	}), liftAll(ctx, faults))
}
