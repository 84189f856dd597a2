package scenarios

import (
	"context"
	"errors"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// interfaceCorrelation holds one request at its payment while another one comes and
// goes: an id that is kept in the wrong place is then the other one's.
func interfaceCorrelation() harness.Scenario {
	return harness.Scenario{
		ID:    "interface/correlation",
		Title: "of two requests that are under way together each keeps its correlation id, at payment, inventory and orders and in the log",
		Needs: harness.Needs{"checkout", "dependencies", "logs"},
		Drive: func(ctx context.Context, s *harness.Session) error {
			logs, err := s.WatchLogs(ctx)
			if err != nil {
				return err
			}
			me := s.DefaultPrincipal()
			held, beside := s.Case("held"), s.Case("beside")
			err = whileHeld(ctx, s, held, harness.Attempt{Principal: me}, func(ctx context.Context, _ *harness.Case) {
				s.Send(ctx, beside, harness.Attempt{Principal: me})
			})
			return errors.Join(err, logs.Read(ctx, held, beside))
		},
		Checks: []harness.Check{answers("SRS-CHK-IF.04", "each-keeps-its-id", check.Correlated(check.All()))},
	}
}

// interfaceRecord reads what the store holds of checkouts that ended.
func interfaceRecord() harness.Scenario {
	return harness.Scenario{
		ID:    "interface/stored-record",
		Title: "the stored records of a success and of a decline hold scope, fingerprint, state, answer, attempts and expiry",
		Needs: harness.Needs{"checkout", "stored-record", "dependencies", "decline"},
		Drive: func(ctx context.Context, s *harness.Session) error {
			for label, variant := range map[string]string{"succeeded": "", "declined": "declined"} {
				c := s.Case(label)
				r := s.Send(ctx, c, harness.Attempt{Principal: s.DefaultPrincipal(), Variant: variant})
				if r.Err != nil || r.Answer.RequestID == "" {
					return errors.Join(errors.New("the checkout whose record is to be read brought no request id"), r.Err)
				}
				if err := s.Rest(ctx); err != nil {
					return err
				}
				if err := s.ReadRecord(ctx, c, r.Answer.RequestID); err != nil {
					return err
				}
			}
			return nil
		},
		Checks: []harness.Check{answers("SRS-CHK-IF.05", "record-is-complete", check.RecordsComplete(check.All()))},
	}
}
