package scenarios

import (
	"context"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// conflictStates sends another body under keys whose first request was declined,
// has failed for a while, or is still open without anybody working on it. "Try
// another card" is where a used key meets another body in earnest.
func conflictStates() harness.Scenario {
	refused := func(label string, after ...harness.Class) judge {
		return check.FirstAnswered(check.Labelled(label), check.Literally(check.MismatchSpelling, check.MismatchRefused(check.Labelled(label))), after...)
	}
	return harness.Scenario{
		ID:    "idempotency/conflict-by-state",
		Title: "a key whose first request was declined, failed for a while or is still open is refused with another body, and does nothing",
		Needs: harness.Needs{"checkout", "dependencies"},
		Lasts: 3 * followEvery,
		Drive: driveConflictStates,
		Checks: []harness.Check{
			supplement(needs(answers("SRS-CHK-001.34", "other-body-refused-after-a-decline", check.Unless(check.DeclineNotStored, refused("declined", harness.ClassDeclined, harness.ClassRefused))), string(harness.CapDecline))),
			supplement(answers("SRS-CHK-001.34", "other-body-refused-after-a-failure", refused("failed", harness.ClassUnavailable, harness.ClassFailed))),
			supplement(answers("SRS-CHK-001.34", "other-body-refused-while-open", check.Unless(check.InProgressFirst, check.Unless(check.PendingUnnamed, refused("open", harness.ClassPending))))),
			invariant("I1", "at-most-once-effect", check.AtMostOnce(check.All())),
		},
	}
}

func driveConflictStates(ctx context.Context, s *harness.Session) error {
	me := s.DefaultPrincipal()
	drives := []func() error{
		func() error {
			c := s.Case("failed")
			if _, err := retryable(ctx, s, c); err != nil {
				return err
			}
			s.Send(ctx, c, changed(c, me))
			return nil
		},
		func() error { return openConflict(ctx, s, s.Case("open")) },
	}
	if offers(s.Target(), harness.CapDecline) {
		drives = append(drives, func() error {
			c, first := s.Case("declined"), harness.Attempt{Principal: me, Variant: variantDeclined}
			s.Send(ctx, c, first)
			s.Send(ctx, c, changed(c, me)) // with another card, too
			s.Send(ctx, c, first)
			return nil
		})
	}
	return harness.Parallel(len(drives), func(i int) error { return drives[i]() })
}

// openConflict sends the other body while nobody knows what became of the payment.
func openConflict(ctx context.Context, s *harness.Session, c *harness.Case) error {
	pay, err := paying(s)
	if err != nil {
		return err
	}
	armed, err := losing(ctx, s, c, pay, harness.CutAfterCommit)
	if err != nil {
		return err
	}
	s.Send(ctx, c, harness.Attempt{Principal: s.DefaultPrincipal()})
	s.Send(ctx, c, changed(c, s.DefaultPrincipal()))
	return liftAll(ctx, armed)
}
