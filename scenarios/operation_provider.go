package scenarios

import (
	"context"
	"slices"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// operationProviderKey loses every answer to what the operations beside the checkout
// do with money, after its commit. The engine then repeats them until they are
// terminal: only a later try of the target shows whether it keeps its key.
func operationProviderKey() harness.Scenario {
	every := check.All()
	return harness.Scenario{
		ID:    "retry/operations-provider-key",
		Title: "the money calls of the operations beside the checkout commit and their answers are lost; they are repeated under the keys that the provider knows",
		Needs: harness.Needs{"checkout", "dependencies", otherOperations},
		Drive: driveOperationProviderKey,
		Checks: []harness.Check{
			supplement(answers("SRS-CHK-002.26", "provider-key-stable-in-every-operation", check.WithOperation(paysBy, "moves money by a call that takes a key", check.ProviderKeys(every)))),
			invariant("I1", "at-most-once-effect", check.AtMostOnce(every)),
			invariant("I4", "becomes-terminal", check.BecomesTerminal(every)),
		},
	}
}

func driveOperationProviderKey(ctx context.Context, s *harness.Session) error {
	type losing struct {
		of  harness.KeyedOperation
		pay operation
	}
	var cases []losing
	for _, o := range s.Target().Operations {
		if pay, known := movesMoney(s.Target().Links, o); known {
			cases = append(cases, losing{o, pay})
		}
	}
	s.Send(ctx, s.Case("undisturbed"), harness.Attempt{Principal: s.DefaultPrincipal()}) // another checkout, to compare with
	return harness.Parallel(len(cases), func(i int) error {
		o, pay := cases[i].of, cases[i].pay
		c := s.Case(o.Name)
		a, err := operationOn(ctx, s, c, o, s.Key("key of "+o.Name))
		if err != nil {
			return err
		}
		lost, err := s.Inject(ctx, c, pay.fault(0, harness.CutAfterCommit, harness.Action{Name: harness.ActReset}))
		if err != nil {
			return err
		}
		s.Send(ctx, c, a)
		return lost.Lift(ctx)
	})
}

// movesMoney returns the dependency operation by which a keyed operation moves money,
// of those that take a key.
func movesMoney(links []harness.LinkInfo, o harness.KeyedOperation) (operation, bool) {
	for _, l := range links {
		for _, d := range l.Operations {
			if !l.Optional && !d.Keyless && o.Effects[d.Effect] > 0 && slices.Contains([]string{"charge", "capture", "authorization", "refund", "void"}, d.Effect) {
				return operation{l.Name, d.Name, d.Effect}, true
			}
		}
	}
	return operation{}, false
}

func paysBy(h harness.Header, o harness.KeyedOperation) bool {
	_, known := movesMoney(h.Links, o)
	return known
}
