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
		Title:     "a request that comes while the store is cut off is SERVICE_UNAVAILABLE, and what it pays with is not logged",
		Needs:     harness.Needs{"checkout", "dependencies", "store-link"},
		Exclusive: true,
		Drive:     driveStoreDown,
		Checks: append(errorsTold(),
			answers("SRS-CHK-IF.08", "fails-closed-as-unavailable", check.Unless(check.OwnErrors, check.CodeOf(check.Labelled("store-down"), "SERVICE_UNAVAILABLE", 503))),
			supplement(needs(answers("SRS-CHK-SEC.04", "log-keeps-the-token", check.TokenKeptFromLog(check.All())), "logs request-fields"))),
	}
}

// driveStoreDown sends a token that is looked for in the log, where both can be had.
// The request that comes once the store is back shows that requests are logged.
func driveStoreDown(ctx context.Context, s *harness.Session) error {
	a := harness.Attempt{Principal: s.DefaultPrincipal()}
	var logs *harness.LogReading
	if offers(s.Target(), harness.CapLogs) && offers(s.Target(), harness.CapFields) {
		a.Set = map[string]any{s.Target().Fields[harness.FieldPayment]: s.Canary(harness.CanaryToken)}
		var err error
		if logs, err = s.WatchLogs(ctx); err != nil {
			return err
		}
	}
	if err := s.DisturbStore(ctx, harness.StoreDisturbance{Mode: harness.StoreCut}); err != nil {
		return err
	}
	down, restored := s.Case("store-down"), s.Case("restored")
	s.Send(ctx, down, a)
	if err := s.RestoreStore(ctx); err != nil || logs == nil {
		return err
	}
	s.Send(ctx, restored, a)
	return logs.Read(ctx, down, restored)
}
