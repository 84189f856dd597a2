package scenarios

import (
	"context"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// paymentDetails sends the details of a card in place of what stands for one.
func paymentDetails() harness.Scenario {
	details, every := check.Labelled("details-"), check.All()
	return harness.Scenario{
		ID:    "validation/payment-details",
		Title: "the details of a card in place of a token are refused, or accepted once and replayed; they are in no answer, not in the log and not in the store",
		Needs: harness.Needs{"checkout", "logs", "storage-read", "request-fields"},
		Drive: drivePaymentDetails,
		Checks: []harness.Check{
			answers("SRS-CHK-001.57", "refused-or-tokenised", check.DetailsHandled(details)),
			effects("SRS-CHK-001.57", "one-effect-if-accepted", check.EffectsMatchSuccesses(details)),
			answers("SRS-CHK-001.57", "details-told-nowhere", check.DetailsKept(every)),
			answers("SRS-CHK-001.57", "details-not-stored", check.PaymentKeptFromStore(every)),
		},
	}
}

func drivePaymentDetails(ctx context.Context, s *harness.Session) error {
	logs, err := s.WatchLogs(ctx)
	if err != nil {
		return err
	}
	me, field := s.DefaultPrincipal(), s.Target().Fields[harness.FieldPayment]
	number, cvc := s.Canary(harness.CanaryCard), s.Canary(harness.CanaryCVC)
	bought := s.Case("bought")
	s.Send(ctx, bought, harness.Attempt{Principal: me, Set: map[string]any{field: s.Canary(harness.CanaryToken)}})
	cases := []*harness.Case{bought}
	for _, way := range []struct {
		label   string
		unset   []string
		members map[string]any
	}{
		{"details-as-object", []string{field}, map[string]any{"card": map[string]any{"number": number, "cvc": cvc, "expMonth": 12, "expYear": 2031}}},
		{"details-as-members", []string{field}, map[string]any{"cardNumber": number, "cvc": cvc, "expiry": "12/31"}},
		{"details-in-the-token", nil, map[string]any{field: number + " " + cvc}},
	} {
		c := s.Case(way.label)
		cases = append(cases, c)
		for range 2 {
			s.Send(ctx, c, harness.Attempt{Principal: me, Unset: way.unset, Set: way.members})
		}
	}
	if err := s.SearchStorage(ctx, bought, harness.CanaryCard, harness.CanaryCVC); err != nil {
		return err
	}
	return logs.Read(ctx, cases...)
}
