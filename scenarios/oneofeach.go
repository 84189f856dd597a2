package scenarios

import (
	"context"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

func oneOfEach() harness.Scenario {
	every := check.All()
	return harness.Scenario{
		ID:    "idempotency/one-of-each",
		Title: "a plain checkout leaves one order, one payment and one reservation, also once events, webhooks and reconciliation had their time",
		Needs: harness.Needs{"checkout", "effects"},
		Lasts: 3 * time.Second,
		Drive: func(ctx context.Context, s *harness.Session) error {
			s.Send(ctx, s.Case("plain"), harness.Attempt{Principal: s.DefaultPrincipal()})
			pause(ctx, aftereffects)
			return nil // the engine waits until the ledger is quiet, and reads it once more at the end of the run
		},
		Checks: []harness.Check{
			effects("SRS-CHK-001.56", "one-order-one-payment-one-reservation", check.OneOfEach(every)),
			invariant("I1", "at-most-once-effect", check.AtMostOnce(every)),
		},
	}
}

// aftereffects is how long what a checkout sets in motion besides its answer is
// given: a webhook of the provider, an event, a round of reconciliation.
const aftereffects = 3 * time.Second
