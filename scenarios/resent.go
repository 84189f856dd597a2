package scenarios

import (
	"context"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

func resent() harness.Scenario {
	every := check.All()
	return harness.Scenario{
		ID:    "idempotency/resent-by-intermediary",
		Title: "a proxy sends a keyed request twice by itself; its caller never hears of it, and nothing happens twice",
		Needs: harness.Needs{"checkout", "effects"},
		Drive: func(ctx context.Context, s *harness.Session) error {
			c, a := s.Case("sent-twice"), harness.Attempt{Principal: s.DefaultPrincipal()}
			copied, err := s.Inject(ctx, c, harness.Fault{Link: harness.LinkClient, Exchange: 1,
				Cut: harness.Cut{Point: harness.CutBeforeForward}, Action: harness.Action{Name: harness.ActDuplicate}})
			if err != nil {
				return err
			}
			s.Send(ctx, c, a)
			if err := copied.Lift(ctx); err != nil {
				return err
			}
			s.Converge(ctx, c, a)
			s.Send(ctx, c, a)
			return nil
		},
		Checks: []harness.Check{
			supplement(effects("SRS-CHK-001.44", "one-checkout-for-both-copies", check.EachSucceeded(every, check.EffectsMatchSuccesses(every)))),
			invariant("I1", "at-most-once-effect", check.AtMostOnce(every)),
			invariant("I4", "becomes-terminal", check.BecomesTerminal(every)),
		},
	}
}
