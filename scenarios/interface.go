package scenarios

import (
	"context"
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// interfaceScenarios are about the form of requests and answers.
func interfaceScenarios() []harness.Scenario {
	return []harness.Scenario{interfaceAnswers(), interfaceErrors(), interfaceCodes(), interfaceStoreDown(), interfaceCorrelation(), interfaceRecord()}
}

func interfaceAnswers() harness.Scenario {
	return harness.Scenario{
		ID:    "interface/answers",
		Title: "the answer to an accepted request tells request, order, state, count of attempts and correlation id",
		Needs: harness.Needs{"checkout"},
		Drive: func(ctx context.Context, s *harness.Session) error {
			me := s.DefaultPrincipal()
			s.Send(ctx, s.Case("succeeded"), harness.Attempt{Principal: me})
			if stranger, err := neighbour(s); err == nil {
				s.Send(ctx, s.Case("of-another"), harness.Attempt{Principal: stranger})
			}
			return nil
		},
		Checks: []harness.Check{answers("SRS-CHK-IF.01", "fields-of-a-success", check.AnswerFields(check.All(), harness.ClassSuccess))},
	}
}

// leastStatuses is how many different statuses the errors of interface/errors have
// at least: 400, 401 and 409 need nothing but the API.
const leastStatuses = 3

func interfaceErrors() harness.Scenario {
	return harness.Scenario{
		ID:    "interface/errors",
		Title: "errors of every kind that can be had: each is an object with code, message, correlation id and retryable, and its code is a public one",
		Needs: harness.Needs{"checkout"},
		Lasts: 4 * time.Second,
		Drive: driveErrors,
		Checks: []harness.Check{
			answers("SRS-CHK-IF.02", "codes-are-public", check.Unless(check.OwnErrors, check.PublicCodes(check.All()))),
			answers("SRS-CHK-IF.03", "errors-are-objects", check.Unless(check.OwnErrors, check.ErrorBodies(check.All(), leastStatuses))),
			supplement(needs(answers("SRS-CHK-IF.02", "each-public-code-was-answered", check.Unless(check.OwnErrors,
				check.AllCodesSeen(check.All(), "VALIDATION_ERROR", "IDEMPOTENCY_CONFLICT", "REQUEST_IN_PROGRESS", "CHECKOUT_PENDING", "PAYMENT_DECLINED", "SERVICE_UNAVAILABLE",
					"UNAUTHENTICATED", "FORBIDDEN", "NOT_FOUND"))), "status decline dependencies second-principal")),
		},
	}
}

// errorsTold judges the errors that a scenario about something else sees: what the
// requirements say of errors is said of each of them.
func errorsTold() []harness.Check {
	return []harness.Check{
		supplement(answers("SRS-CHK-IF.02", "codes-are-public", check.Unless(check.OwnErrors, check.PublicCodes(check.All())))),
		supplement(answers("SRS-CHK-IF.03", "errors-are-objects", check.Unless(check.OwnErrors, check.ErrorBodies(check.All(), 1)))),
	}
}

func driveErrors(ctx context.Context, s *harness.Session) error {
	me := s.DefaultPrincipal()
	s.Send(ctx, s.Case("anonymous"), harness.Attempt{})
	s.Send(ctx, s.Case("no-key"), harness.Attempt{Principal: me, Keys: []string{}})
	s.Send(ctx, s.Case("bad-body"), badBody(me))
	for _, spelt := range harness.Misspellings() { // which many a framework answers by itself
		s.Send(ctx, s.Case(string(spelt)), harness.Attempt{Principal: me, Spelling: spelt})
	}
	conflict := s.Case("changed-amount")
	id, err := finished(ctx, s, conflict, me)
	if err != nil {
		return err
	}
	s.Send(ctx, conflict, changed(conflict, me))
	if offers(s.Target(), harness.CapDecline) {
		s.Send(ctx, s.Case("declined"), harness.Attempt{Principal: me, Variant: "declined"})
	}
	if offers(s.Target(), harness.CapStatus) {
		reads := s.Case("reads")
		read(ctx, s, reads, "", id)
		read(ctx, s, reads, me, lookalike(s, id))
		if stranger, err := neighbour(s); err == nil {
			read(ctx, s, reads, stranger, id)
		}
	}
	if !offers(s.Target(), harness.CapDependencies) {
		return nil
	}
	return harness.Parallel(3, func(i int) error {
		switch i {
		case 0:
			_, err := retryable(ctx, s, s.Case("unavailable"))
			return err
		case 1:
			return pending(ctx, s, s.Case("pending"))
		}
		a := harness.Attempt{Principal: me}
		return whileHeld(ctx, s, s.Case("in-progress"), a, func(ctx context.Context, c *harness.Case) { impatient(ctx, s, c, a) })
	})
}

// badBody lacks the amount, or has it as a word where the template has none to
// leave out.
func badBody(principal string) harness.Attempt {
	return harness.Attempt{Principal: principal, Vars: map[string]any{"amount": "much"}}
}

// pending makes a checkout whose outcome nobody can find out for a while: every
// answer of the payment is lost after its commit, and whoever is asked what became
// of it is not available. It waits until the target has answered.
func pending(ctx context.Context, s *harness.Session, c *harness.Case) error {
	pay, err := paying(s)
	if err != nil {
		return err
	}
	armed, err := losing(ctx, s, c, pay, harness.CutAfterCommit)
	if err != nil {
		return err
	}
	r := s.Send(ctx, c, harness.Attempt{Principal: s.DefaultPrincipal()})
	if err := liftAll(ctx, armed); err != nil {
		return err
	}
	if r.Err != nil {
		return fmt.Errorf("the checkout of unknown outcome got no answer: %w", r.Err)
	}
	return nil
}
