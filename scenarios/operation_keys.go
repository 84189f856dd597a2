package scenarios

import (
	"context"
	"maps"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// otherOperations is what a profile needs for its operations beside the checkout.
const otherOperations = string(harness.CapSecondOperation) + "|" + string(harness.CapSecondVersion)

// operationKeyMalformed tries one or two keys of each malformed kind on every
// operation, and then a good one.
func operationKeyMalformed() harness.Scenario {
	every := check.All()
	refused := func(clause harness.ClauseID, name string, excluded check.Exclusion, kinds ...string) harness.Check {
		return supplement(answers(clause, name, check.Literally(check.MalformedSpelling, check.Unless(excluded, check.Malformed(check.Labelled(kinds...))))))
	}
	return harness.Scenario{
		ID:    "idempotency/operations-key-malformed",
		Title: "no operation beside the checkout takes a malformed key either, and each then works with a good one",
		Needs: harness.Needs{"checkout", "effects|dependencies", otherOperations},
		Drive: driveOperationKeyMalformed,
		Checks: []harness.Check{
			refused("SRS-CHK-001.04", "overlong-key-refused-everywhere", check.OverlongUnnamed, "overlong-"),
			refused("SRS-CHK-001.05", "other-characters-refused-everywhere", check.MalformedUnnamed, "control-character-", "latin-1-"),
			refused("SRS-CHK-001.06", "empty-key-refused-everywhere", check.BlankIsNone, "empty-"),
			refused("SRS-CHK-001.07", "two-lines-refused-everywhere", check.FirstLineCounts, "two-different-lines-"),
			supplement(answers("SRS-CHK-001.10", "malformed-key-refused-everywhere", check.Literally(check.MalformedSpelling, check.Malformed(every)))),
			supplement(answers("SRS-CHK-001.10", "good-key-then-executes-everywhere", check.GoodKeyExecutes(every))),
			supplement(effects("SRS-CHK-001.10", "malformed-key-has-no-effect-anywhere", check.WhereDeclared(check.EffectsMatchSuccesses(every)))),
			invariant("I3", "refused-has-no-effect", check.NothingLeftBehind(every)),
		},
	}
}

func driveOperationKeyMalformed(ctx context.Context, s *harness.Session) error {
	type trying struct {
		bad badKey
		on  harness.KeyedOperation
	}
	tried := map[string]bool{"overlong": true, "control-character": true, "latin-1": true, "empty": true, "two-different-lines": true}
	var cases []trying
	for _, bad := range malformedKeys(s) {
		for _, o := range s.Target().Operations {
			if tried[bad.label] {
				cases = append(cases, trying{bad, o})
			}
		}
	}
	return harness.Parallel(len(cases), func(i int) error {
		label := cases[i].bad.label + "-" + cases[i].on.Name
		c := s.Case(label)
		good, err := operationOn(ctx, s, c, cases[i].on, s.Key("good key of "+label))
		if err != nil {
			return err
		}
		bad := good
		bad.Keys = cases[i].bad.lines
		s.Send(ctx, c, bad)
		s.Send(ctx, c, good)
		return nil
	})
}

// operationScope has customers of two scopes use one key for an operation, each for
// what is theirs.
func operationScope() harness.Scenario {
	return harness.Scenario{
		ID:    "idempotency/operations-scope",
		Title: "two customers, of two tenants or of one, use one key for an operation beside the checkout, and neither keeps the other from it",
		Needs: harness.Needs{"checkout", otherOperations, "second-tenant|second-principal"},
		Drive: driveOperationScope,
		Checks: []harness.Check{
			supplement(needs(answers("SRS-CHK-001.17", "operations-of-both-tenants", check.Unless(check.NotScopedBy("tenant"), forCustomers(check.Unhindered(check.Labelled("tenant-"))))), "second-tenant")),
			supplement(needs(effects("SRS-CHK-001.17", "effects-of-both-tenants", check.Unless(check.NotScopedBy("tenant"), forCustomers(check.WhereDeclared(check.EffectsMatchSuccesses(check.Labelled("tenant-")))))), "second-tenant")),
			supplement(needs(answers("SRS-CHK-001.18", "operations-of-both-customers", check.Unless(check.NotScopedBy("principal"), forCustomers(check.Unhindered(check.Labelled("principal-"))))), "second-principal")),
			supplement(needs(effects("SRS-CHK-001.18", "effects-of-both-customers", check.Unless(check.NotScopedBy("principal"), forCustomers(check.WhereDeclared(check.EffectsMatchSuccesses(check.Labelled("principal-")))))), "second-principal")),
			invariant("I1", "at-most-once-effect", check.AtMostOnce(check.All())),
		},
	}
}

// forCustomers judges where customers call an operation.
func forCustomers(j judge) judge {
	return check.WithOperation(func(_ harness.Header, o harness.KeyedOperation) bool { return o.Principal == "" }, "is for customers", j)
}

func driveOperationScope(ctx context.Context, s *harness.Session) error {
	type pair struct {
		label, other string
		of           harness.KeyedOperation
	}
	var pairs []pair
	for _, o := range s.Target().Operations {
		if o.Principal != "" {
			continue // it is not for customers
		}
		if other, err := foreigner(s); err == nil {
			pairs = append(pairs, pair{"tenant-" + o.Name, other, o})
		}
		if other, err := neighbour(s); err == nil {
			pairs = append(pairs, pair{"principal-" + o.Name, other, o})
		}
	}
	return harness.Parallel(len(pairs), func(i int) error {
		p := pairs[i]
		for _, who := range []string{s.DefaultPrincipal(), p.other} {
			c := s.Case(p.label + "-of-" + who)
			a, err := operationAs(ctx, s, c, p.of, s.Key("key of "+p.label), who)
			if err != nil {
				return err
			}
			s.Send(ctx, c, a)
		}
		return nil
	})
}

// operationConflict uses the key of an operation for something else: for another
// checkout where the operation names one, which its body need not show, and else
// with another body.
func operationConflict() harness.Scenario {
	every := check.All()
	return harness.Scenario{
		ID:    "idempotency/operations-conflict",
		Title: "a key that was used for an operation beside the checkout is refused for another checkout, or with another body, and does nothing",
		Needs: harness.Needs{"checkout", "effects|dependencies", otherOperations},
		Drive: driveOperationConflict,
		Checks: []harness.Check{
			supplement(answers("SRS-CHK-001.34", "other-request-refused-everywhere", check.Literally(check.MismatchSpelling, check.OtherRequestRefused(every)))),
			supplement(effects("SRS-CHK-001.34", "other-request-has-no-effect-anywhere", check.Unless(check.MismatchAllowed, check.WhereDeclared(check.EffectsMatchSuccesses(every))))),
			invariant("I1", "at-most-once-effect", check.AtMostOnce(every)),
		},
	}
}

func driveOperationConflict(ctx context.Context, s *harness.Session) error {
	operations := s.Target().Operations
	return harness.Parallel(len(operations), func(i int) error {
		o := operations[i]
		c, key := s.Case("first-"+o.Name), s.Key("key of "+o.Name)
		first, err := operationOn(ctx, s, c, o, key)
		if err != nil {
			return err
		}
		s.Send(ctx, c, first)
		of, other := c, first
		if o.Refers {
			of = s.Case("second-" + o.Name)
			if other, err = operationOn(ctx, s, of, o, key); err != nil {
				return err
			}
		} else {
			other.Vars = map[string]any{"amount": c.Amount + 1}
			maps.Copy(other.Vars, first.Vars)
		}
		s.Send(ctx, of, other)
		s.Send(ctx, c, first)
		return nil
	})
}
