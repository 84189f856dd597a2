package scenarios

import (
	"context"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// interfaceCodes provokes what needs no control of the target.
func interfaceCodes() harness.Scenario {
	return harness.Scenario{
		ID:    "interface/codes",
		Title: "a missing key, one that is too long and a bad body are VALIDATION_ERROR; a payment of unknown outcome is CHECKOUT_PENDING",
		Needs: harness.Needs{"checkout", "dependencies"},
		Lasts: 3 * time.Second,
		Drive: func(ctx context.Context, s *harness.Session) error {
			me, d := s.DefaultPrincipal(), s.Target().Dialect
			s.Send(ctx, s.Case("refused-no-key"), harness.Attempt{Principal: me, Keys: []string{}})
			if d.KeyMax > 0 {
				s.Send(ctx, s.Case("refused-key"), harness.Attempt{Principal: me, Keys: []string{d.KeyLine(unusedKey(s, "too-long", d.KeyMax+1))}})
			}
			s.Send(ctx, s.Case("refused-body"), badBody(me))
			return pending(ctx, s, s.Case("pending"))
		},
		Checks: []harness.Check{
			answers("SRS-CHK-IF.08", "refusal-is-a-validation-error", check.Unless(check.OwnErrors, check.CodeOf(check.Labelled("refused-"), "VALIDATION_ERROR", 400, 422))),
			answers("SRS-CHK-IF.08", "unknown-outcome-is-pending", check.Unless(check.OwnErrors, check.CodeOf(check.Labelled("pending"), "CHECKOUT_PENDING", 202))),
			supplement(answers("SRS-CHK-IF.01", "fields-of-a-pending-one", check.AnswerFields(check.Labelled("pending"), harness.ClassPending))),
			invariant("I4", "becomes-terminal", check.BecomesTerminal(check.Labelled("pending"))),
		},
	}
}

// interfaceStoreDown cuts the store off for the moment that one request takes.
func interfaceStoreDown() harness.Scenario {
	return harness.Scenario{
		ID:        "interface/store-down",
		Title:     "a request that comes while the store is cut off is SERVICE_UNAVAILABLE",
		Needs:     harness.Needs{"checkout", "dependencies", "store-link"},
		Exclusive: true,
		Drive: func(ctx context.Context, s *harness.Session) error {
			if err := s.DisturbStore(ctx, harness.StoreDisturbance{Mode: harness.StoreCut}); err != nil {
				return err
			}
			c := s.Case("store-down")
			s.Send(ctx, c, harness.Attempt{Principal: s.DefaultPrincipal()})
			return s.RestoreStore(ctx)
		},
		Checks: append(errorsTold(),
			answers("SRS-CHK-IF.08", "fails-closed-as-unavailable", check.Unless(check.OwnErrors, check.CodeOf(check.Labelled("store-down"), "SERVICE_UNAVAILABLE", 503)))),
	}
}
