package scenarios

import (
	"context"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

func unknownOutcome() harness.Scenario {
	every := check.All()
	return harness.Scenario{
		ID:    "retry/unknown-payment-outcome",
		Title: "the payment commits and its answer is reset, once or on every attempt; nothing charges again before that is resolved",
		Needs: harness.Needs{"checkout", "dependencies", "effects"},
		Drive: driveUnknownOutcome,
		Checks: []harness.Check{
			effects("SRS-CHK-002.24", "unknown-outcome-resolved-first", check.UnknownOutcomeResolved(every)),
			effects("SRS-CHK-002.24", "one-charge", check.EffectsMatchSuccesses(every)),
			invariant("I1", "at-most-once-effect", check.AtMostOnce(every)),
			invariant("I4", "becomes-terminal", check.BecomesTerminal(every)),
		},
	}
}

func driveUnknownOutcome(ctx context.Context, s *harness.Session) error {
	pay, err := paying(s)
	if err != nil {
		return err
	}
	// Index 0 is every exchange: a target that resolves the first loss by a
	// query never makes a second charge, and is right.
	losses := []struct {
		label    string
		exchange int
	}{{"lost-once", 1}, {"lost-every-time", 0}}
	return harness.Parallel(len(losses), func(i int) error {
		f := pay.fault(losses[i].exchange, harness.CutAfterCommit, harness.Action{Name: harness.ActReset})
		return driveFailing(ctx, s, failing{losses[i].label, []harness.Fault{f}}) // the engine then repeats it until it is terminal
	})
}

func providerKey() harness.Scenario {
	every := check.All()
	return harness.Scenario{
		ID:    "retry/provider-key",
		Title: "the keys given to providers: stable over attempts, distinct per checkout and operation, not the caller's",
		Needs: harness.Needs{"checkout", "dependencies"},
		Drive: driveProviderKey,
		Checks: []harness.Check{
			answers("SRS-CHK-002.26", "provider-key-stable-and-own", check.ProviderKeys(every)),
			answers("SRS-CHK-SEC.05", "provider-key-from-internal-id", check.ProviderKeys(every)),
		},
	}
}

// driveProviderKey makes two checkouts under one caller's key, by customers of
// two scopes where the profile has them, and lets every operation of the first
// fail once.
func driveProviderKey(ctx context.Context, s *harness.Session) error {
	first, second := s.Case("first"), s.Case("second")
	me := s.DefaultPrincipal()
	for _, o := range effecting(s) {
		if _, err := s.Inject(ctx, first, o.fault(1, harness.CutBeforeForward, harness.Action{Name: harness.ActStatus, Status: 503})); err != nil {
			return err
		}
	}
	s.Send(ctx, first, harness.Attempt{Principal: me})
	key := second.Key
	stranger, err := foreigner(s)
	if err != nil && s.Target().Dialect.ScopedBy("principal") {
		stranger, err = neighbour(s)
	}
	if err == nil {
		key = first.Key
	} else {
		stranger = me
	}
	s.Send(ctx, second, harness.Attempt{Principal: stranger, Keys: []string{s.Target().Dialect.KeyLine(key)}})
	return nil
}

func providerKeyRestart() harness.Scenario {
	every := check.All()
	return harness.Scenario{
		ID:        "retry/provider-key-restart",
		Title:     "a checkout whose process is killed between two attempts goes on under the same provider keys",
		Needs:     harness.Needs{"checkout", "dependencies", "process-control", "effects"},
		Exclusive: true,
		Lasts:     6 * time.Second,
		Drive:     driveProviderKeyRestart,
		Checks: []harness.Check{
			supplement(answers("SRS-CHK-002.26", "provider-key-survives-restart", check.ProviderKeys(every))),
			invariant("I1", "at-most-once-effect", check.AtMostOnce(every)),
			invariant("I4", "becomes-terminal", check.BecomesTerminal(every)),
		},
	}
}

// driveProviderKeyRestart kills the target while its payment is held before it
// reaches the provider, so that the payment has to be made again, lets it come back, and repeats until the answer is terminal.
func driveProviderKeyRestart(ctx context.Context, s *harness.Session) error {
	pay, err := paying(s)
	if err != nil {
		return err
	}
	me := s.DefaultPrincipal()
	s.Send(ctx, s.Case("undisturbed"), harness.Attempt{Principal: me})
	c := s.Case("killed")
	held, err := s.Inject(ctx, c, pay.fault(1, harness.CutBeforeForward, harness.Action{Name: harness.ActStall}))
	if err != nil {
		return err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Send(ctx, c, harness.Attempt{Principal: me})
	}()
	defer func() { <-done }()
	firing, cancel := context.WithTimeout(ctx, s.Target().Policy.Client.Read.Std())
	defer cancel()
	if err := held.Fired(firing); err != nil {
		return err
	}
	if err := s.Restart(ctx); err != nil {
		return err
	}
	return held.Lift(ctx)
}
