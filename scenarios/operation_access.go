package scenarios

import (
	"context"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// operationScenarios are about the operations of the profile beside the checkout:
// a guard that only the checkout has guards half of the money.
func operationScenarios() []harness.Scenario {
	return []harness.Scenario{operationOfAnother(), operationKeyMalformed(), operationScope(), operationConflict(), operationProviderKey()}
}

// operationOfAnother has customers of another tenant and of the same one carry out
// what names a checkout that is not theirs. Whoever bought it may: an operation that
// never works keeps nobody out.
func operationOfAnother() harness.Scenario {
	return harness.Scenario{
		ID:    "auth/operation-of-another",
		Title: "what undoes or changes a checkout is refused to customers of another tenant, and to others of the same one, and leaves nothing in the ledger",
		Needs: harness.Needs{"checkout", string(harness.CapSecondOperation), "second-tenant|second-principal"},
		Drive: driveOperationOfAnother,
		Checks: []harness.Check{
			supplement(needs(answers("SRS-CHK-SEC.02", "other-tenant-kept-out", referring(check.KeptOut(check.Labelled("foreign-"), check.Labelled("own-")))), "second-tenant")),
			supplement(needs(effects("SRS-CHK-SEC.02", "other-tenant-leaves-no-effect", referring(check.WhereDeclared(check.EffectsMatchSuccesses(check.Labelled("foreign-"))))), "second-tenant")),
			supplement(needs(answers("SRS-CHK-003.09", "other-customer-kept-out", check.Unless(check.NotScopedBy("principal"), referring(check.KeptOut(check.Labelled("near-"), check.Labelled("own-"))))), "second-principal")),
			supplement(needs(effects("SRS-CHK-003.09", "other-customer-leaves-no-effect", check.Unless(check.NotScopedBy("principal"), referring(check.WhereDeclared(check.EffectsMatchSuccesses(check.Labelled("near-")))))), "second-principal")),
			invariant("I1", "at-most-once-effect", check.AtMostOnce(check.All())),
		},
	}
}

// referring judges where an operation names a checkout.
func referring(j judge) judge {
	return check.WithOperation(func(_ harness.Header, o harness.KeyedOperation) bool { return o.Refers }, "names a checkout", j)
}

func driveOperationOfAnother(ctx context.Context, s *harness.Session) error {
	type calling struct {
		label, caller string
		of            harness.KeyedOperation
	}
	var cases []calling
	for _, o := range s.Target().Operations {
		if !o.Refers {
			continue
		}
		cases = append(cases, calling{"own-" + o.Name, callerOf(s, o), o})
		if stranger, err := foreigner(s); err == nil && stranger != o.Principal {
			cases = append(cases, calling{"foreign-" + o.Name, stranger, o})
		}
		if stranger, err := neighbour(s); err == nil && stranger != o.Principal {
			cases = append(cases, calling{"near-" + o.Name, stranger, o})
		}
	}
	return harness.Parallel(len(cases), func(i int) error {
		c := s.Case(cases[i].label)
		a, err := operationOn(ctx, s, c, cases[i].of, s.Key("key of "+cases[i].label))
		if err != nil {
			return err
		}
		a.Principal = cases[i].caller
		s.Send(ctx, c, a)
		return nil
	})
}

// callerOf returns who calls an operation.
func callerOf(s *harness.Session, o harness.KeyedOperation) string {
	if o.Principal != "" {
		return o.Principal
	}
	return s.DefaultPrincipal()
}

// operationOn returns an attempt of an operation under a key, and makes the checkout
// that it refers to, if it does, in the same case.
func operationOn(ctx context.Context, s *harness.Session, c *harness.Case, o harness.KeyedOperation, key string) (harness.Attempt, error) {
	return operationAs(ctx, s, c, o, key, callerOf(s, o))
}

// operationAs is operationOn for a certain customer.
func operationAs(ctx context.Context, s *harness.Session, c *harness.Case, o harness.KeyedOperation, key, principal string) (harness.Attempt, error) {
	a := harness.Attempt{Operation: o.Name, Principal: principal, Keys: []string{s.Target().Dialect.KeyLine(key)}}
	if !o.Refers {
		return a, nil
	}
	made, err := answered(ctx, s, c, harness.Attempt{Principal: principal})
	a.Vars = map[string]any{"requestId": made.RequestID, "orderId": made.OrderID}
	return a, err
}
