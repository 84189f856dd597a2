package scenarios

import (
	"context"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

func scopeTenant() harness.Scenario {
	return scope("idempotency/scope-tenant", "SRS-CHK-001.17", "tenant", foreigner,
		"the same key and body of a customer of another tenant is another checkout")
}

func scopePrincipal() harness.Scenario {
	return scope("idempotency/scope-principal", "SRS-CHK-001.18", "principal", neighbour,
		"the same key and body of another customer of the same tenant is another checkout")
}

// scope sends one key of two customers who differ in the element.
func scope(id string, clause harness.ClauseID, element string, second func(*harness.Session) (string, error), title string) harness.Scenario {
	independent := check.ScopesIndependent(check.All(), 2)
	if element == "tenant" {
		independent = check.AmongNamesakes(independent)
	}
	checks := []harness.Check{
		answers(clause, "own-order-in-own-scope", check.Unless(check.NotScopedBy(element), independent)),
		effects(clause, "effects-of-both-scopes", check.Unless(check.NotScopedBy(element), check.EffectsMatchSuccesses(check.All()))),
		invariant("I5", "scopes-independent", independent),
	}
	if element == "tenant" {
		checks = append(checks, answers("SRS-CHK-SEC.02", "own-order-in-own-tenant", independent))
	}
	return harness.Scenario{
		ID:    id,
		Title: title,
		Needs: harness.Needs{"checkout", "second-" + element},
		Drive: func(ctx context.Context, s *harness.Session) error {
			stranger, err := second(s)
			if err != nil {
				return err
			}
			c := s.Case("shared-key")
			for _, principal := range []string{s.DefaultPrincipal(), stranger, s.DefaultPrincipal(), stranger} {
				s.Send(ctx, c, harness.Attempt{Principal: principal})
			}
			return nil
		},
		Checks: checks,
	}
}
