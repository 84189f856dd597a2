package scenarios

import (
	"context"
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

func replayCancelled() harness.Scenario {
	every := check.All()
	return harness.Scenario{
		ID:    "idempotency/replay-after-cancel",
		Title: "a checkout that was cancelled since is still answered as at first, and its status says so",
		Needs: harness.Needs{"checkout", "effects", string(harness.CapSecondOperation)},
		Drive: driveCancelled,
		Checks: []harness.Check{
			answers("SRS-CHK-001.30", "original-and-not-current-state", check.OriginalAfterReversal(every, repeats)),
			effects("SRS-CHK-001.30", "one-checkout-and-its-reversal", check.EachSucceeded(every, check.EffectsMatchSuccesses(every))),
			supplement(needs(answers("SRS-CHK-002.17", "state-named-after-its-reversal", check.UndoneStateNamed(every)), "status")),
			supplement(needs(answers("SRS-CHK-002.19", "state-kept-after-its-reversal", check.UndoneStateKept(every)), "status")),
			supplement(needs(answers("SRS-CHK-003.12", "status-agrees-after-its-reversal", check.UndoneStateAgrees(every)), "status")),
			invariant("I1", "at-most-once-effect", check.AtMostOnce(every)),
		},
	}
}

// driveCancelled makes a checkout, undoes it under a key of its own, and repeats
// both. Where a status can be read, it is before the one and after the other.
func driveCancelled(ctx context.Context, s *harness.Session) error {
	undo, err := reversing(s)
	if err != nil {
		return err
	}
	c, me := s.Case(undo.Name), s.DefaultPrincipal()
	if undo.Principal != "" {
		me = undo.Principal
	}
	a := harness.Attempt{Principal: me}
	first, err := answered(ctx, s, c, a)
	if err != nil {
		return err
	}
	id := handle(harness.Result{Answer: first})
	readable := id != "" && offers(s.Target(), harness.CapStatus)
	if readable {
		read(ctx, s, c, me, id)
	}
	s.Converge(ctx, c, harness.Attempt{Operation: undo.Name, Principal: me, Keys: []string{s.Target().Dialect.KeyLine(s.Key("another key for " + undo.Name))},
		Vars: map[string]any{"requestId": first.RequestID, "orderId": first.OrderID}})
	if err := s.Rest(ctx); err != nil {
		return err
	}
	for range repeats {
		s.Send(ctx, c, a)
	}
	if readable {
		read(ctx, s, c, me, id)
	}
	return nil
}

// reversing returns an operation that undoes a checkout.
func reversing(s *harness.Session) (harness.KeyedOperation, error) {
	for _, o := range s.Target().Operations {
		for kind := range o.Effects {
			if o.Refers && harness.Reversed(kind) != "" {
				return o, nil
			}
		}
	}
	return harness.KeyedOperation{}, fmt.Errorf("no operation of the profile undoes a checkout (operations.NAME.effects with refund, void or release)")
}
