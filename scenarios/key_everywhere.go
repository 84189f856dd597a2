package scenarios

import (
	"context"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// keyEverywhere calls each operation that moves money without a key, and then with
// one: an operation that never works refuses nothing by not working.
func keyEverywhere() harness.Scenario {
	keyless := check.Labelled("keyless-")
	return harness.Scenario{
		ID:    "idempotency/key-everywhere",
		Title: "no operation that takes a key runs without one: the checkout, and whatever else the profile lists",
		Needs: harness.Needs{"checkout", "effects|dependencies", "second-operation"},
		Drive: driveKeyEverywhere,
		Checks: []harness.Check{
			answers("SRS-CHK-001.01", "keyless-operations-refused", check.Literally(check.MissingSpelling, check.OnEveryOperation(check.MissingKey(keyless), keyless, check.Labelled("keyed-")))),
			supplement(effects("SRS-CHK-001.01", "keyless-operations-have-no-effect", check.NoEffect(keyless))),
			supplement(effects("SRS-CHK-001.01", "one-effect-with-a-key", check.EffectsMatchSuccesses(check.All()))),
			invariant("I3", "refused-has-no-effect", check.NothingLeftBehind(check.All())),
		},
	}
}

func driveKeyEverywhere(ctx context.Context, s *harness.Session) error {
	operations := append([]harness.KeyedOperation{{Name: harness.OpCheckout}}, s.Target().Operations...)
	return harness.Parallel(len(operations), func(i int) error {
		o := operations[i]
		a := harness.Attempt{Operation: o.Name, Principal: o.Principal}
		if a.Principal == "" {
			a.Principal = s.DefaultPrincipal()
		}
		keyed := s.Case("keyed-" + o.Name)
		if o.Refers {
			made, err := answered(ctx, s, keyed, harness.Attempt{Principal: a.Principal})
			if err != nil {
				return err
			}
			a.Vars = map[string]any{"requestId": made.RequestID, "orderId": made.OrderID}
		}
		without, with := a, a
		without.Keys = []string{}
		with.Keys = []string{s.Target().Dialect.KeyLine(s.Key("key of " + o.Name))}
		s.Send(ctx, s.Case("keyless-"+o.Name), without)
		s.Send(ctx, keyed, with)
		return nil
	})
}
