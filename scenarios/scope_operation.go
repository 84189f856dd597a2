package scenarios

import (
	"context"
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

func scopeOperation() harness.Scenario {
	return scopeUse("idempotency/scope-operation", "SRS-CHK-001.19", "operation", harness.CapSecondOperation,
		"the same key for another operation is another request")
}

func scopeVersion() harness.Scenario {
	return scopeUse("idempotency/scope-version", "SRS-CHK-001.20", "version", harness.CapSecondVersion,
		"the same key and body for another version of the API is another checkout")
}

func scopeUse(id string, clause harness.ClauseID, element string, capability harness.Capability, title string) harness.Scenario {
	every := check.All()
	return harness.Scenario{
		ID:    id,
		Title: title,
		Needs: harness.Needs{"checkout", string(capability), "effects"},
		Drive: func(ctx context.Context, s *harness.Session) error { return driveUses(ctx, s, capability) },
		Checks: []harness.Check{
			answers(clause, "own-answer-for-each-use", check.Unless(check.NotScopedBy(element), check.OperationsIndependent(every))),
			effects(clause, "effects-of-each-use", check.Unless(check.NotScopedBy(element), check.EffectsMatchSuccesses(every))),
			invariant("I1", "at-most-once-effect", check.AtMostOnce(every)),
		},
	}
}

// driveUses sends a checkout and then, under its key, each other operation of the
// kind, and repeats both.
func driveUses(ctx context.Context, s *harness.Session, capability harness.Capability) error {
	var uses []harness.KeyedOperation
	for _, o := range s.Target().Operations {
		if o.Capability == capability {
			uses = append(uses, o)
		}
	}
	if len(uses) == 0 {
		return fmt.Errorf("no operation of the profile is one of %s (operations)", capability)
	}
	return harness.Parallel(len(uses), func(i int) error { return driveUse(ctx, s, uses[i]) })
}

func driveUse(ctx context.Context, s *harness.Session, o harness.KeyedOperation) error {
	c := s.Case(o.Name)
	principal := s.DefaultPrincipal()
	if o.Principal != "" {
		principal = o.Principal
	}
	first := harness.Attempt{Principal: principal}
	id, err := answered(ctx, s, c, first)
	if err != nil {
		return err
	}
	other := harness.Attempt{Operation: o.Name, Principal: principal, Keys: []string{s.Target().Dialect.KeyLine(c.Key)},
		Vars: map[string]any{"requestId": id.RequestID, "orderId": id.OrderID}}
	of := c
	if !o.Refers && o.Capability == harness.CapSecondOperation { // it may want a cart that is not sold yet
		of = s.Case(o.Name + "-of-a-fresh-cart")
	}
	s.Send(ctx, of, other)
	s.Send(ctx, c, first)
	s.Send(ctx, of, other)
	return nil
}

// answered sends an attempt and returns its answer.
func answered(ctx context.Context, s *harness.Session, c *harness.Case, a harness.Attempt) (harness.Answer, error) {
	r := s.Send(ctx, c, a)
	if r.Err != nil {
		return harness.Answer{}, fmt.Errorf("the first request of case %s got no answer: %w", c.Label, r.Err)
	}
	return r.Answer, nil
}
