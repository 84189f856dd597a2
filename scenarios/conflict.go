package scenarios

import (
	"context"
	"errors"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

func conflictTerminal() harness.Scenario {
	every := check.All()
	return harness.Scenario{
		ID:    "idempotency/conflict-after-terminal",
		Title: "a used key with another body is refused and does nothing",
		Needs: harness.Needs{"checkout", "effects|dependencies"},
		Drive: func(ctx context.Context, s *harness.Session) error {
			me := s.DefaultPrincipal()
			for _, label := range []string{"changed-amount", "changed-cart"} {
				c := s.Case(label)
				s.Send(ctx, c, harness.Attempt{Principal: me})
				s.Send(ctx, c, changed(c, me))
				s.Send(ctx, c, harness.Attempt{Principal: me})
			}
			return nil
		},
		Checks: []harness.Check{
			answers("SRS-CHK-001.34", "other-body-refused", check.Literally(check.MismatchSpelling, check.MismatchRefused(every))),
			supplement(effects("SRS-CHK-001.34", "other-body-has-no-effect", check.EffectsMatchSuccesses(every))),
			invariant("I1", "at-most-once-effect", check.AtMostOnce(every)),
			invariant("I3", "refused-has-no-effect", check.NothingLeftBehind(every)),
		},
	}
}

// changed is the case's request with one value altered: the cart, or the amount
// by less than the distance to any other case's.
func changed(c *harness.Case, principal string) harness.Attempt {
	if c.Label == "changed-cart" {
		return harness.Attempt{Principal: principal, Vars: map[string]any{"cart": c.Cart + "-other"}}
	}
	return harness.Attempt{Principal: principal, Vars: map[string]any{"amount": c.Amount + 1}}
}

func conflictInProgress() harness.Scenario {
	every := check.All()
	return harness.Scenario{
		ID:    "idempotency/conflict-in-progress",
		Title: "a key in progress with another body is refused, told nothing of the first, and does nothing",
		Needs: harness.Needs{"checkout", "dependencies"},
		Drive: func(ctx context.Context, s *harness.Session) error {
			me := s.DefaultPrincipal()
			ops := effecting(s)
			if len(ops) == 0 {
				return errNothingEffecting
			}
			return harness.Parallel(len(ops), func(i int) error {
				return whileHeldAt(ctx, s, ops[i], s.Case(ops[i].link+"-"+ops[i].name), harness.Attempt{Principal: me}, func(ctx context.Context, c *harness.Case) {
					impatient(ctx, s, c, changed(c, me))
					impatient(ctx, s, c, inOtherWords(s, me))
				})
			})
		},
		Checks: []harness.Check{
			answers("SRS-CHK-001.23", "fingerprint-known-before-side-effects", check.Unless(check.InProgressFirst, check.WhileHeld(every, check.MismatchRefused(every)))),
			supplement(answers("SRS-CHK-001.34", "other-body-refused-in-progress", check.Literally(check.MismatchSpelling, check.MismatchRefused(every)))),
			answers("SRS-CHK-001.46", "mismatch-beats-in-progress", check.Unless(check.InProgressFirst, check.WhileHeld(every, check.Literally(check.MismatchSpelling, check.MismatchRefused(every))))),
			supplement(answers("SRS-CHK-001.36", "conflict-reveals-nothing-in-progress", check.Unless(check.InProgressFirst, check.MismatchRevealsNothing(every)))),
			supplement(effects("SRS-CHK-001.34", "other-body-has-no-effect", check.EffectsMatchSuccesses(every))),
			invariant("I3", "refused-has-no-effect", check.NothingLeftBehind(every)),
		},
	}
}

// patience is how long a request that must be answered at once may take while
// the first one is held: far beyond any scheduling delay, and short enough to
// see that it waits.
const patience = 2 * time.Second

// impatient sends and gives up after that time.
func impatient(ctx context.Context, s *harness.Session, c *harness.Case, a harness.Attempt) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	s.Send(ctx, c, a)
}

// whileHeld holds the first request at its payment.
func whileHeld(ctx context.Context, s *harness.Session, c *harness.Case, first harness.Attempt, meanwhile func(context.Context, *harness.Case)) error {
	pay, err := paying(s)
	if err != nil {
		return err
	}
	return whileHeldAt(ctx, s, pay, c, first, meanwhile)
}

// whileHeldAt sends the first request, holds one of its calls before it reaches
// the dependency, calls meanwhile, and lets the first request go on.
func whileHeldAt(ctx context.Context, s *harness.Session, at operation, c *harness.Case, first harness.Attempt, meanwhile func(context.Context, *harness.Case)) error {
	held, err := s.Inject(ctx, c, at.fault(1, harness.CutBeforeForward, harness.Action{Name: harness.ActStall}))
	if err != nil {
		return err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Send(ctx, c, first)
	}()
	defer func() { <-done }()
	firing, cancel := context.WithTimeout(ctx, s.Target().Policy.Client.Read.Std())
	defer cancel()
	if err := held.Fired(firing); err != nil {
		return errors.Join(err, held.Lift(ctx))
	}
	s.Note(c, check.MarkHeld, held.Fault.String(), nil)
	meanwhile(ctx, c)
	s.Note(c, check.MarkReleased, "", nil)
	return held.Lift(ctx)
}
