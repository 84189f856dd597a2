package scenarios

import (
	"context"
	"errors"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// redaction sends payment data wherever a careless caller may put it, and looks for
// it in everything that comes out of the target.
func redaction() harness.Scenario {
	every := check.All()
	return harness.Scenario{
		ID:    "redaction/payment-data",
		Title: "card numbers, verification values and payment tokens are sent with requests that succeed, are refused, conflict, are declined and fail; none of it is in an answer, the log, the metrics or the store",
		Needs: harness.Needs{"checkout", "request-fields"},
		Drive: driveRedaction,
		Checks: append(errorsTold(),
			needs(answers("SRS-CHK-003.06", "answers-keep-payment-data", check.PaymentKeptFromAnswers(every)), "status"),
			needs(answers("SRS-CHK-SEC.04", "log-keeps-payment-data", check.PaymentKeptFromLog(every)), "logs dependencies"),
			needs(answers("SRS-CHK-SEC.03", "store-holds-no-card-data", check.PaymentKeptFromStore(every)), "storage-read"),
		),
	}
}

func driveRedaction(ctx context.Context, s *harness.Session) error {
	var logs *harness.LogReading
	var err error
	if offers(s.Target(), harness.CapLogs) {
		if logs, err = s.WatchLogs(ctx); err != nil {
			return err
		}
	}
	bought := s.Case("bought")
	cases, err := paidWithCanaries(ctx, s, bought)
	if err != nil {
		return err
	}
	if offers(s.Target(), harness.CapMetrics) {
		if err := s.ReadMetrics(ctx, nil); err != nil {
			return err
		}
	}
	if offers(s.Target(), harness.CapStorage) {
		if err := s.SearchStorage(ctx, bought, harness.CanaryCard, harness.CanaryCVC, harness.CanaryToken); err != nil {
			return err
		}
	}
	if logs == nil {
		return nil
	}
	return logs.Read(ctx, cases...)
}

// paidWithCanaries makes the requests and reads the status of each that has one.
func paidWithCanaries(ctx context.Context, s *harness.Session, bought *harness.Case) ([]*harness.Case, error) {
	me, field := s.DefaultPrincipal(), s.Target().Fields[harness.FieldPayment]
	card, cvc := s.Canary(harness.CanaryCard), s.Canary(harness.CanaryCVC)
	token := harness.Attempt{Principal: me, Set: map[string]any{field: s.Canary(harness.CanaryToken)}}
	cases := []*harness.Case{bought}
	follow := func(c *harness.Case, a harness.Attempt) error {
		if c != bought {
			cases = append(cases, c)
		}
		r := s.Send(ctx, c, a)
		if r.Err == nil && r.Answer.RequestID != "" && offers(s.Target(), harness.CapStatus) {
			read(ctx, s, c, me, r.Answer.RequestID)
		}
		return r.Err
	}
	other := token
	other.Vars = map[string]any{"amount": bought.Amount + 1}
	err := errors.Join(
		follow(bought, token),
		follow(bought, other), // conflicts
		follow(s.Case("card-as-token"), harness.Attempt{Principal: me, Set: map[string]any{field: card}}),
		follow(s.Case("card-beside-token"), harness.Attempt{Principal: me, Set: map[string]any{"cardNumber": card, "cvc": cvc}}),
		follow(s.Case("card-as-details"), harness.Attempt{Principal: me, Unset: []string{field}, Set: map[string]any{"card": map[string]any{"number": card, "cvc": cvc, "expMonth": 12, "expYear": 2031}}}),
	)
	if err != nil || !offers(s.Target(), harness.CapDependencies) {
		return cases, err
	}
	pay, err := paying(s)
	if err != nil {
		return cases, err
	}
	for label, status := range map[string]int{"declined": 402, "failing": 503} {
		c := s.Case(label)
		down, err := s.Inject(ctx, c, pay.fault(0, harness.CutBeforeForward, harness.Action{Name: harness.ActStatus, Status: status}))
		if err != nil {
			return cases, err
		}
		if err := errors.Join(follow(c, token), down.Lift(ctx)); err != nil {
			return cases, err
		}
	}
	return cases, nil
}
