package scenarios

import (
	"context"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// redaction sends payment data wherever a careless caller may put it, and looks for
// it in everything that comes out of the target.
func redaction() harness.Scenario {
	every := check.All()
	return harness.Scenario{
		ID:    "redaction/payment-data",
		Title: "card numbers, verification values and payment tokens are sent with requests that succeed, are refused, conflict, are declined, fail, stay open, cannot be read and are nobody's; none of it is in an answer, the log, the metrics or the store",
		Needs: harness.Needs{"checkout", "request-fields"},
		Lasts: 3 * time.Second,
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
	p := payer{s: s, me: s.DefaultPrincipal(), bought: s.Case("bought")}
	if err := p.pay(ctx); err != nil {
		return err
	}
	if offers(s.Target(), harness.CapMetrics) {
		if err := s.ReadMetrics(ctx, nil); err != nil {
			return err
		}
	}
	if offers(s.Target(), harness.CapStorage) {
		if err := s.SearchStorage(ctx, p.bought, harness.CanaryCard, harness.CanaryCVC, harness.CanaryToken); err != nil {
			return err
		}
	}
	if logs == nil {
		return nil
	}
	return logs.Read(ctx, p.cases...)
}
