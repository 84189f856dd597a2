package scenarios

import (
	"context"
	"errors"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

func replayOutcome() harness.Scenario {
	paid, declined := check.Labelled("paid"), check.Labelled("declined")
	began := func(pick check.Pick, class harness.Class, j judge) judge { return check.BeganAs(pick, class, j) }
	return harness.Scenario{
		ID:    "idempotency/replay-payment-outcome",
		Title: "a provider that would decline since, or accept since, is not asked again: the replay tells the first outcome",
		Needs: harness.Needs{"checkout", "dependencies"},
		Drive: driveOutcomes,
		Checks: []harness.Check{
			answers("SRS-CHK-001.28", "success-replayed-when-it-would-be-declined", began(paid, harness.ClassSuccess, check.SameOutcomeReplayed(paid, repeats))),
			effects("SRS-CHK-001.28", "one-effect-of-each-kind", began(paid, harness.ClassSuccess, check.EffectsMatchSuccesses(paid))),
			answers("SRS-CHK-001.28", "decline-replayed-when-it-would-be-accepted", keepsDeclines(began(declined, harness.ClassDeclined, check.SameOutcomeReplayed(declined, repeats)))),
			answers("SRS-CHK-001.33", "decline-is-terminal", keepsDeclines(began(declined, harness.ClassDeclined, check.SameOutcomeReplayed(declined, repeats)))),
			answers("SRS-CHK-001.33", "decline-asks-for-the-payment-once", keepsDeclines(began(declined, harness.ClassDeclined, check.PaymentCalledOnce(declined)))),
			invariant("I1", "at-most-once-effect", check.AtMostOnce(check.All())),
			invariant("I6", "no-orphan-effect", check.NothingLeftBehind(check.All())),
		},
	}
}

func keepsDeclines(j judge) judge {
	return check.Unless(check.DeclineUnnamed, check.Unless(check.DeclineNotStored, j))
}

// driveOutcomes makes one checkout that is paid and one that is declined, and
// repeats both while the provider would do the contrary. What would decline the
// repeats of the first is what declines the second, so it is known to work.
func driveOutcomes(ctx context.Context, s *harness.Session) error {
	pay, err := paying(s)
	if err != nil {
		return err
	}
	decline := func(exchange int) harness.Fault {
		return pay.fault(exchange, harness.CutBeforeForward, harness.Action{Name: harness.ActStatus, Status: 402})
	}
	a := harness.Attempt{Principal: s.DefaultPrincipal()}
	return harness.Parallel(2, func(i int) error {
		c := s.Case([]string{"paid", "declined"}[i])
		arm := []func(context.Context, *harness.Case, harness.Fault) (*harness.Injected, error){s.Trap, s.Inject}[i]
		armed, err := arm(ctx, c, decline(2-i))
		if err != nil {
			return err
		}
		s.Send(ctx, c, a)
		lifted := error(nil)
		if i == 1 {
			lifted = armed.Lift(ctx)
		}
		if err := errors.Join(lifted, s.Rest(ctx)); err != nil {
			return err
		}
		traps := []*harness.Injected{armed}
		for _, query := range queriesOf(s, pay) {
			asked, err := s.Trap(ctx, c, query.fault(0, harness.CutBeforeForward, harness.Action{Name: harness.ActStatus, Status: 402}))
			if err != nil {
				return err
			}
			traps = append(traps, asked)
		}
		for range repeats {
			s.Send(ctx, c, a)
		}
		for _, trap := range traps {
			err = errors.Join(err, trap.Lift(ctx))
		}
		return err
	})
}
