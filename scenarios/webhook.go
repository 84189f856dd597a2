package scenarios

import (
	"context"
	"errors"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// webhooks has the payment provider tell of a payment when nobody expects it.
func webhooks() harness.Scenario {
	every := check.All()
	told := func(j judge) judge {
		return check.EachSucceeded(every, check.Recognised(check.Labelled("nobody"), check.Told(j,
			check.ToldAtWork(check.Labelled("at-work"), 1), check.ToldAtWork(check.Labelled("twice-at-work"), 2),
			check.ToldUnknown(check.Labelled("unknown"), 1), check.ToldUnknown(check.Labelled("twice-unknown"), 2),
			check.ToldEnded(check.Labelled("ended"), 1))))
	}
	return harness.Scenario{
		ID:    "unknown-outcome/webhook",
		Title: "the provider's webhook arrives while the request waits for its payment, while the outcome is unknown, twice at once in both, and after the end; each checkout is paid and ordered once",
		Needs: harness.Needs{"checkout", "dependencies", "effects", string(harness.CapWebhook)},
		Lasts: 5 * time.Second,
		Drive: driveWebhooks,
		Checks: []harness.Check{
			supplement(effects("SRS-CHK-001.56", "one-of-each-whenever-the-webhook-comes", told(check.OneOfEach(every)))),
			invariant("I1", "at-most-once-effect", told(check.AtMostOnce(every))),
			{Name: "one-order-per-key", Invariant: "I2", Judge: check.SameOrderID(every, 1)},
			invariant("I4", "becomes-terminal", check.BecomesTerminal(every)),
		},
	}
}

// meeting is how many copies are sent where two have to meet: a scheduler can always
// keep some of them apart.
const meeting = 6

func driveWebhooks(ctx context.Context, s *harness.Session) error {
	pay, err := paying(s)
	if err != nil {
		return err
	}
	drives := []func() error{
		func() error { return tellAtWork(ctx, s, s.Case("at-work"), pay, 1) },
		func() error { return tellAtWork(ctx, s, s.Case("twice-at-work"), pay, meeting) },
		func() error { return tellUnknown(ctx, s, s.Case("unknown"), pay, 1) },
		func() error { return tellUnknown(ctx, s, s.Case("twice-unknown"), pay, meeting) },
		func() error { return tellEnded(ctx, s, s.Case("ended"), pay) },
	}
	if err := harness.Parallel(len(drives), func(i int) error { return drives[i]() }); err != nil {
		return err
	}
	pause(ctx, aftereffects) // a target may queue what it is told
	return nil
}

// tellAtWork tells of a payment whose answer the request is still waiting for. A
// target may let the webhook wait for the request, so the answer is not held
// forever.
func tellAtWork(ctx context.Context, s *harness.Session, c *harness.Case, pay operation, copies int) error {
	me := harness.Attempt{Principal: s.DefaultPrincipal()}
	held, err := s.Inject(ctx, c, pay.fault(1, harness.CutAfterCommit, harness.Action{Name: harness.ActStall}))
	if err != nil {
		return err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Send(ctx, c, me)
	}()
	defer func() { <-done }()
	patience := s.Target().Policy.Client.Read.Std()
	firing, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := held.Fired(firing); err != nil {
		return err
	}
	payment, err := s.Booked(ctx, c, pay.effect)
	if err != nil {
		return err
	}
	var notice harness.Notice
	told := make(chan error, 1)
	go func() {
		var err error
		notice, err = s.Notify(ctx, c, payment, copies)
		told <- err
	}()
	var failed error
	select {
	case failed = <-told:
		failed = errors.Join(failed, held.Lift(ctx))
	case <-time.After(patience / 2):
		failed = held.Lift(ctx)
		failed = errors.Join(failed, <-told)
	}
	if failed != nil {
		return failed
	}
	<-done
	return repeat(ctx, s, c, me, notice)
}

// tellUnknown tells of a payment of which the target has heard nothing, and can
// find out nothing.
func tellUnknown(ctx context.Context, s *harness.Session, c *harness.Case, pay operation, copies int) error {
	me := harness.Attempt{Principal: s.DefaultPrincipal()}
	armed, err := losing(ctx, s, c, pay, harness.CutAfterCommit)
	if err != nil {
		return err
	}
	s.Send(ctx, c, me)
	payment, err := s.Booked(ctx, c, pay.effect)
	if err != nil {
		return err
	}
	notice, err := s.Notify(ctx, c, payment, copies)
	if err != nil {
		return err
	}
	if err := liftAll(ctx, armed); err != nil {
		return err
	}
	return repeat(ctx, s, c, me, notice)
}

// tellEnded tells of a payment that is old news, and of one like it that is news to
// everybody: a target that does not tell the two apart may know neither.
func tellEnded(ctx context.Context, s *harness.Session, c *harness.Case, pay operation) error {
	me := harness.Attempt{Principal: s.DefaultPrincipal()}
	s.Send(ctx, c, me)
	payment, err := s.Booked(ctx, c, pay.effect)
	if err != nil {
		return err
	}
	notice, err := s.Notify(ctx, c, payment, 1)
	if err != nil {
		return err
	}
	nobody := s.Case("nobody")
	unmade, err := s.Notify(ctx, nobody, s.Unmade(payment), 1)
	if err != nil {
		return err
	}
	return errors.Join(s.Redeliver(ctx, nobody, unmade), repeat(ctx, s, c, me, notice))
}

// repeat sends the request again until it has its outcome, then the webhook to a
// target that wanted it later, and then the request once more.
func repeat(ctx context.Context, s *harness.Session, c *harness.Case, a harness.Attempt, notice harness.Notice) error {
	if r := s.Converge(ctx, c, a); r.Err != nil {
		return r.Err
	}
	if err := s.Redeliver(ctx, c, notice); err != nil {
		return err
	}
	s.Send(ctx, c, a)
	return nil
}
