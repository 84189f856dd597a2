package scenarios

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// deadlineScenarios are those about the time of a whole checkout, and what is left
// of one that has used it up.
func deadlineScenarios() []harness.Scenario {
	return []harness.Scenario{deadlineExhausted(), deadlineUnsafe()}
}

// The cases of deadline/exhausted.
const (
	keptBusy       = "kept-busy"       // every call fails late and then succeeds late; the payment is made and not answered
	paymentUnknown = "payment-unknown" // the deadline comes while the payment is made and not answered
	givenUp        = "given-up"        // one dependency fails at once, whatever is tried
)

// deadlineExhausted keeps a checkout busy for longer than it may take. What it
// still does afterwards shows while nothing can be found out: queries fail until
// twice the deadline.
func deadlineExhausted() harness.Scenario {
	every, doubtful := check.All(), check.Labelled(keptBusy, paymentUnknown)
	return harness.Scenario{
		ID:    "deadline/exhausted",
		Title: "each call fails late and succeeds late, and the payment is made without an answer; the checkout ends at its deadline, and is watched for as long again",
		Needs: harness.Needs{"checkout", "dependencies"},
		Long:  func(p harness.Policy) time.Duration { return 2*p.Checkout.Deadline.Std() + 2*p.Client.Total.Std() },
		Timed: true,
		Drive: driveDeadline,
		Checks: []harness.Check{
			timed(answers("SRS-CHK-002.13", "ends-at-its-deadline", check.EndsAtDeadline(check.Labelled(keptBusy)))),
			timed(answers("SRS-CHK-002.14", "nothing-begins-afterwards", check.QuietAfterDeadline(check.Labelled(paymentUnknown, givenUp), check.Labelled(keptBusy)))),
			needs(answers("SRS-CHK-002.22", "pending-where-it-can-be-found-out", check.PendingThenSucceeded(doubtful)), "status"),
			supplement(effects("SRS-CHK-002.22", "one-effect-of-each-kind", check.EffectsMatchSuccesses(doubtful))),
			invariant("I1", "at-most-once-effect", check.AtMostOnce(every)),
			invariant("I4", "becomes-terminal", check.BecomesTerminal(every)),
		},
	}
}

func driveDeadline(ctx context.Context, s *harness.Session) error {
	pay, err := paying(s)
	if err != nil {
		return err
	}
	others := slices.DeleteFunc(effecting(s), func(o operation) bool { return o == pay })
	cases := []func() error{
		func() error { return driveKeptBusy(ctx, s, pay, others) },
		func() error { return drivePaymentUnknown(ctx, s, pay, others) },
		func() error { return driveGivenUp(ctx, s, slices.Concat(others, []operation{pay})[0]) },
	}
	return harness.Parallel(len(cases), func(i int) error { return cases[i]() })
}

// How late a dependency answers, as shares of the time that one attempt has: so
// that it is not cut off, and so that a call which the deadline should have ended
// begins well after it.
const (
	lateFailure = 0.8
	lateSuccess = 0.9
)

// late makes the first call of an operation fail late, and the second succeed late.
func late(o operation, p harness.ClientPolicy, success float64) []harness.Fault {
	return []harness.Fault{
		o.fault(1, harness.CutBeforeForward, harness.Action{Name: harness.ActDelay, Delay: harness.Duration(part(p.Read, lateFailure)), Status: 503}),
		o.fault(2, harness.CutBeforeForward, harness.Action{Name: harness.ActDelay, Delay: harness.Duration(part(p.Read, success))}),
	}
}

func driveKeptBusy(ctx context.Context, s *harness.Session, pay operation, others []operation) error {
	c, p := s.Case(keptBusy), s.Target().Policy.Client
	faults := late(pay, p, lateSuccess)[:1]
	for _, o := range slices.Concat(others, queriesOf(s, pay)) {
		faults = append(faults, late(o, p, lateSuccess)...)
	}
	if err := injectAll(ctx, s, c, faults); err != nil {
		return err
	}
	unanswered, err := s.Inject(ctx, c, pay.fault(0, harness.CutAfterCommit, harness.Action{Name: harness.ActStall}))
	if err != nil {
		return err
	}
	id := handle(s.Send(ctx, c, harness.Attempt{Principal: s.DefaultPrincipal()}))
	if err := unanswered.Lift(ctx); err != nil {
		return err
	}
	return readUntilSucceeded(ctx, s, c, id)
}

// drivePaymentUnknown loses two payments before they are made, has the provider
// say so late, and loses the third after it was made.
func drivePaymentUnknown(ctx context.Context, s *harness.Session, pay operation, others []operation) error {
	c, p := s.Case(paymentUnknown), s.Target().Policy.Client
	stall := harness.Action{Name: harness.ActStall}
	faults := []harness.Fault{
		pay.fault(1, harness.CutBeforeForward, stall), pay.fault(2, harness.CutBeforeForward, stall), pay.fault(3, harness.CutAfterCommit, stall)}
	queries := queriesOf(s, pay)
	for _, o := range slices.Concat(others, queries) {
		faults = append(faults, late(o, p, lateFailure)...)
	}
	if err := injectAll(ctx, s, c, faults); err != nil {
		return err
	}
	var held []*harness.Injected
	for _, q := range queries {
		i, err := s.Inject(ctx, c, q.fault(0, harness.CutBeforeForward, harness.Action{Name: harness.ActStatus, Status: 503}))
		if err != nil {
			return err
		}
		held = append(held, i)
	}
	began := time.Now()
	id := handle(s.Send(ctx, c, harness.Attempt{Principal: s.DefaultPrincipal()}))
	if id != "" && offers(s.Target(), harness.CapStatus) {
		read(ctx, s, c, s.DefaultPrincipal(), id)
	}
	if err := watchDeadline(ctx, s, c, began); err != nil {
		return err
	}
	for _, i := range held {
		if err := i.Lift(ctx); err != nil {
			return err
		}
	}
	return readUntilSucceeded(ctx, s, c, id)
}

func driveGivenUp(ctx context.Context, s *harness.Session, o operation) error {
	c := s.Case(givenUp)
	failing, err := s.Inject(ctx, c, o.fault(0, harness.CutBeforeForward, harness.Action{Name: harness.ActStatus, Status: 503}))
	if err != nil {
		return err
	}
	began := time.Now()
	s.Send(ctx, c, harness.Attempt{Principal: s.DefaultPrincipal()})
	if err := watchDeadline(ctx, s, c, began); err != nil {
		return err
	}
	return failing.Lift(ctx)
}

// watchDeadline watches the dependencies of a case to twice the deadline.
func watchDeadline(ctx context.Context, s *harness.Session, c *harness.Case, began time.Time) error {
	if err := s.Watch(ctx, time.Until(began.Add(2*s.Target().Policy.Checkout.Deadline.Std()))); err != nil {
		return err
	}
	s.Note(c, check.MarkDeadlineWatched, "", nil)
	return nil
}

// injectAll arms faults that are lifted with the scenario: what does not meet the
// request may meet whoever goes on with it.
func injectAll(ctx context.Context, s *harness.Session, c *harness.Case, faults []harness.Fault) error {
	for _, f := range faults {
		if _, err := s.Inject(ctx, c, f); err != nil {
			return err
		}
	}
	return nil
}

// readUntilSucceeded reads the status of a case until it says so, or until whoever
// goes on with it had time for every call.
func readUntilSucceeded(ctx context.Context, s *harness.Session, c *harness.Case, id string) error {
	if id == "" || !offers(s.Target(), harness.CapStatus) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 2*s.Target().Policy.Client.Total.Std()+settling)
	defer cancel()
	for ctx.Err() == nil {
		r := read(ctx, s, c, s.DefaultPrincipal(), id)
		if r.Err != nil || r.Answer.State != "PENDING" {
			return nil
		}
		if err := s.Watch(ctx, pollPause); err != nil {
			return nil //nolint:nilerr // that it took too long is for the judge to say
		}
	}
	return nil
}

const (
	settling  = 10 * time.Second       // until reconciliation has looked at a checkout again
	pollPause = 100 * time.Millisecond // between two status reads
)

// deadlineUnsafe lets a payment be made without an answer where nobody can ever
// find out, and asks again once.
func deadlineUnsafe() harness.Scenario {
	return harness.Scenario{
		ID:    "deadline/not-reconcilable",
		Title: "a payment that takes no key is made and not answered, by a provider that cannot be asked; it is not left pending, and its status can be read",
		Needs: harness.Needs{"checkout", "dependencies", "status", string(harness.CapKeyless)},
		Lasts: 5 * time.Second,
		Drive: driveDeadlineUnsafe,
		Checks: []harness.Check{
			answers("SRS-CHK-002.23", "left-as-failed-with-its-status", check.LeftRetryable(check.All())),
			supplement(answers("SRS-CHK-002.24", "not-paid-again-blindly", check.PaymentCalledOnce(check.All()))),
		},
	}
}

func driveDeadlineUnsafe(ctx context.Context, s *harness.Session) error {
	ops, variant := keyless(s)
	blind := slices.DeleteFunc(ops, func(o operation) bool { return len(queriesOf(s, o)) > 0 })
	if len(blind) == 0 {
		return fmt.Errorf("every operation of the profile that takes no key belongs to a dependency that can be asked")
	}
	return harness.Parallel(len(blind), func(i int) error {
		o := blind[i]
		c := s.Case(o.link + "-" + o.name)
		s.LeaveOpen(c, "whether it was paid cannot be found out by asking again")
		unanswered, err := s.Inject(ctx, c, o.fault(0, harness.CutAfterCommit, harness.Action{Name: harness.ActStall}))
		if err != nil {
			return err
		}
		a := harness.Attempt{Principal: s.DefaultPrincipal(), Variant: variant}
		if id := handle(s.Send(ctx, c, a)); id != "" {
			read(ctx, s, c, s.DefaultPrincipal(), id)
		}
		s.Send(ctx, c, a) // which must not pay again
		return unanswered.Lift(ctx)
	})
}
