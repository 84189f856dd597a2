package scenarios

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/oncecheck/oncecheck/harness"
)

// How many requests are under way when a process is killed right after the first
// answer: some have been answered, and others have not.
const (
	finals   = 4
	pendings = 1
)

// crashAnswered sends requests and kills the process as soon as one of them is
// answered. One more, whose payment is held, shows when it died. Then it reads and
// repeats what was answered.
func crashAnswered(ctx context.Context, s *harness.Session, pay operation, prefix string, n int, fault *harness.Fault) error {
	a := harness.Attempt{Principal: s.DefaultPrincipal()}
	witness := s.Case("point-under-way-" + prefix + "witness")
	held, err := s.Inject(ctx, witness, pay.fault(1, harness.CutBeforeForward, harness.Action{Name: harness.ActStall}))
	if err != nil {
		return err
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
			return err
		}
		faults = append(faults, f)
	}
	var callers sync.WaitGroup
	defer callers.Wait()
	callers.Go(func() { s.Send(ctx, witness, a) })
	firing, cancel := context.WithTimeout(ctx, s.Target().Policy.Client.Read.Std())
	defer cancel()
	if err := held.Fired(firing); err != nil {
		return err
	}
	answered := make(chan struct{}, n)
	for i := range cases {
		callers.Go(func() {
			results[i] = s.Send(ctx, cases[i], a)
			answered <- struct{}{}
		})
	}
	<-answered
	if err := s.Restart(ctx); err != nil {
		return err
	}
	callers.Wait()
	if err := held.Lift(ctx); err != nil {
		return err
	}
	return errors.Join(harness.Parallel(n, func(i int) error {
		if results[i].Err == nil && results[i].Answer.RequestID != "" {
			read(ctx, s, cases[i], a.Principal, results[i].Answer.RequestID)
			s.Send(ctx, cases[i], a)
		}
		return nil
	}), liftAll(ctx, faults))
}
