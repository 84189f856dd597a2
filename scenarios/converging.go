package scenarios

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// convergingScenarios are those about what a checkout comes to that went wrong on
// its way.
func convergingScenarios() []harness.Scenario {
	return []harness.Scenario{reconciledYes(), reconciledNo(), partialSuccess()}
}

// reconciledYes loses every answer to a payment that was made, and repeats the
// request once it is known to have succeeded.
func reconciledYes() harness.Scenario {
	every := check.All()
	return harness.Scenario{
		ID:    "unknown-outcome/paid-after-all",
		Title: "every answer to a payment that was made is lost, and for a while nobody can be asked; without a word of the caller the checkout succeeds, and its replay tells how",
		Needs: harness.Needs{"checkout", "dependencies", "status"},
		Lasts: 3 * time.Second,
		Drive: func(ctx context.Context, s *harness.Session) error {
			c := s.Case("lost")
			if err := driveLost(ctx, s, c, harness.CutAfterCommit, ""); err != nil {
				return err
			}
			s.Send(ctx, c, harness.Attempt{Principal: s.DefaultPrincipal()})
			return nil
		},
		Checks: []harness.Check{
			answers("SRS-CHK-002.25", "succeeds-by-itself", check.Reconciles(every, "SUCCEEDED")),
			supplement(answers("SRS-CHK-001.27", "replay-names-the-order-found-out", check.ReconciledReplayNamesOrder(every))),
			supplement(answers("SRS-CHK-IF.01", "fields-of-what-was-found-out", check.ReconciledReplayFields(every))),
			supplement(effects("SRS-CHK-002.25", "one-effect-of-each-kind", check.EffectsMatchSuccesses(every))),
			invariant("I1", "at-most-once-effect", check.AtMostOnce(every)),
			invariant("I4", "becomes-terminal", check.BecomesTerminal(every)),
		},
	}
}

// reconciledNo loses every call of a payment on its way, which the provider then
// declines.
func reconciledNo() harness.Scenario {
	every := check.All()
	return harness.Scenario{
		ID:    "unknown-outcome/declined-after-all",
		Title: "every call of a payment is lost on its way, and then the provider declines it; without a word of the caller the checkout fails for good",
		Needs: harness.Needs{"checkout", "dependencies", "status", string(harness.CapDecline)},
		Lasts: 3 * time.Second,
		Drive: func(ctx context.Context, s *harness.Session) error {
			return driveLost(ctx, s, s.Case("lost"), harness.CutBeforeForward, variantDeclined)
		},
		Checks: []harness.Check{
			answers("SRS-CHK-002.25", "fails-by-itself", check.Reconciles(every, "FAILED_FINAL")),
			invariant("I4", "becomes-terminal", check.BecomesTerminal(every)),
			invariant("I6", "no-orphan-effect", check.NothingLeftBehind(every)),
		},
	}
}

// driveLost loses the payment, and keeps those who ask for it waiting, until the
// checkout is answered; then it only watches.
func driveLost(ctx context.Context, s *harness.Session, c *harness.Case, at harness.Point, variant string) error {
	pay, err := paying(s)
	if err != nil {
		return err
	}
	armed, err := losing(ctx, s, c, pay, at)
	if err != nil {
		return err
	}
	r := s.Send(ctx, c, harness.Attempt{Principal: s.DefaultPrincipal(), Variant: variant})
	if err := liftAll(ctx, armed); err != nil {
		return err
	}
	id, err := watchable(r)
	if err != nil {
		return err
	}
	return follow(ctx, s, c, id, check.ReconcileLimit(s.Target().Policy), func(state string) bool {
		return state != "" && state != "PENDING"
	})
}

// losing cuts off every call of a payment, and has nobody told what became of it.
// Whether anybody asks meanwhile is the target's own affair.
func losing(ctx context.Context, s *harness.Session, c *harness.Case, pay operation, at harness.Point) ([]*harness.Injected, error) {
	lost, err := s.Inject(ctx, c, pay.fault(0, at, harness.Action{Name: harness.ActReset}))
	if err != nil {
		return nil, err
	}
	armed := []*harness.Injected{lost}
	for _, query := range queriesOf(s, pay) {
		held, err := s.Trap(ctx, c, query.fault(0, harness.CutBeforeForward, harness.Action{Name: harness.ActStatus, Status: 503}))
		if err != nil {
			return nil, err
		}
		armed = append(armed, held)
	}
	return armed, nil
}

// watchable returns what the answer gives to read the status by.
func watchable(r harness.Result) (string, error) {
	if id := handle(r); id != "" {
		return id, nil
	}
	if r.Err != nil {
		return "", fmt.Errorf("the checkout whose status is to be read got no answer: %w", r.Err)
	}
	return "", fmt.Errorf("the checkout whose status is to be read was answered %d without a request id; %w", r.Answer.Status, errNoHandle)
}

// errNoHandle says that a status cannot be read.
var errNoHandle = errors.New("say where it is (response.requestId)")

// follow reads the status of a request until its state is as wanted, or that much
// time is over.
func follow(ctx context.Context, s *harness.Session, c *harness.Case, id string, limit time.Duration, wanted func(state string) bool) error {
	for began := time.Now(); ; {
		if r := read(ctx, s, c, s.DefaultPrincipal(), id); r.Err == nil && wanted(r.Answer.State) || time.Since(began) >= limit {
			return nil
		}
		if err := s.Watch(ctx, followEvery); err != nil {
			return err
		}
	}
}

// followEvery is how often the status of a request is read.
const followEvery = 200 * time.Millisecond

// partialSuccess lets each dependency but the payment be dead for a while, or
// refuse for good, and its undoing fail at first; and it has the payment declined.
func partialSuccess() harness.Scenario {
	every := check.All()
	return harness.Scenario{
		ID:    "unknown-outcome/partial-success",
		Title: "the payment is made and another dependency is dead, loses its answers or refuses for good, and undoing fails at first; or the payment is declined after what comes before it was done; in the end charges match orders, and nothing is kept for nobody",
		Needs: harness.Needs{"checkout", "dependencies", "effects"},
		Lasts: 3 * time.Second,
		Drive: drivePartial,
		Checks: []harness.Check{
			effects("SRS-CHK-002.28", "charges-match-orders", check.PartialUndone(every)),
			supplement(answers("SRS-CHK-002.26", "provider-key-stable-in-undoing", check.ProviderKeys(every))),
			invariant("I1", "at-most-once-effect", check.AtMostOnce(every)),
			invariant("I4", "becomes-terminal", check.BecomesTerminal(every)),
			invariant("I6", "no-orphan-effect", check.NothingLeftBehind(every)),
		},
	}
}

func drivePartial(ctx context.Context, s *harness.Session) error {
	pay, err := paying(s)
	if err != nil {
		return err
	}
	var drives []func() error
	for _, o := range effecting(s) {
		if o == pay {
			continue
		}
		for _, f := range []failing{
			{o.link + "-dead", []harness.Fault{onEvery(o, harness.Action{Name: harness.ActStatus, Status: 503})}},
			{o.link + "-unreachable", []harness.Fault{o.fault(0, harness.CutBeforeForward, harness.Action{Name: harness.ActReset})}},
			{o.link + "-unanswered", []harness.Fault{o.fault(0, harness.CutAfterCommit, harness.Action{Name: harness.ActReset})}},
			{o.link + "-refused", []harness.Fault{onEvery(o, harness.Action{Name: harness.ActStatus, Status: 422})}},
		} {
			drives = append(drives, func() error { return driveFailing(ctx, s, f) })
		}
		if undo, known := undoing(s, pay); known {
			drives = append(drives, func() error { return driveUndoneLater(ctx, s, o, undo) })
		}
	}
	if len(drives) == 0 {
		return errors.New("no dependency operation but the payment has an effect that effects.perSuccess counts, so none can fail beside it")
	}
	drives = append(drives, func() error { // what the target does before it is paid is done for nothing then
		return driveFailing(ctx, s, failing{pay.link + "-declined", []harness.Fault{onEvery(pay, harness.Action{Name: harness.ActStatus, Status: 402})}})
	})
	return harness.Parallel(len(drives), func(i int) error { return drives[i]() })
}

// driveUndoneLater has a dependency refuse. Where that is after the payment, whose
// undoing fails at first, it waits until that is tried again.
func driveUndoneLater(ctx context.Context, s *harness.Session, refusing, undo operation) error {
	c := s.Case(refusing.link + "-undone-later")
	refused, err := s.Inject(ctx, c, onEvery(refusing, harness.Action{Name: harness.ActStatus, Status: 422}))
	if err != nil {
		return err
	}
	failed, err := s.Trap(ctx, c, undo.fault(0, harness.CutBeforeForward, harness.Action{Name: harness.ActStatus, Status: 503}))
	if err != nil {
		return err
	}
	s.Send(ctx, c, harness.Attempt{Principal: s.DefaultPrincipal()})
	soon, cancel := context.WithTimeout(ctx, followEvery)
	defer cancel()
	undone := failed.Fired(soon) == nil
	for _, injected := range []*harness.Injected{refused, failed} {
		if err := injected.Lift(ctx); err != nil {
			return err
		}
	}
	if !undone {
		return nil
	}
	// A delay that nobody notices tells when it is tried again.
	again, err := s.Trap(ctx, c, undo.fault(0, harness.CutBeforeForward, harness.Action{Name: harness.ActDelay, Delay: harness.Duration(time.Millisecond)}))
	if err != nil {
		return err
	}
	limit, stop := context.WithTimeout(ctx, check.ReconcileLimit(s.Target().Policy))
	defer stop()
	_ = again.Fired(limit) // that it was never tried again is what the ledger shows
	return again.Lift(ctx)
}
