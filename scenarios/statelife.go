package scenarios

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// stateScenarios are those about what a checkout's state says, and when.
func stateScenarios() []harness.Scenario {
	return []harness.Scenario{attemptsShown(), statesNamed(), stateKept(), declinedForGood(), resultAtOnce()}
}

// attemptsShown lets a checkout fail, so that its id is known, has it carried on
// with, and reads its status while it waits between attempts.
func attemptsShown() harness.Scenario {
	return harness.Scenario{
		ID:    "status/attempts-shown",
		Title: "a checkout waits between the attempts of its payment; status reads show those that were made",
		Needs: harness.Needs{"checkout", "dependencies", "status"},
		Lasts: 3 * time.Second,
		Drive: driveAttemptsShown,
		Checks: []harness.Check{
			answers("SRS-CHK-002.15", "attempts-persisted", check.AttemptsPersisted(check.All())),
		},
	}
}

func driveAttemptsShown(ctx context.Context, s *harness.Session) error {
	pay, err := paying(s)
	if err != nil {
		return err
	}
	c, a := s.Case("waiting"), harness.Attempt{Principal: s.DefaultPrincipal()}
	dead, err := s.Inject(ctx, c, onEvery(pay, harness.Action{Name: harness.ActStatus, Status: 503}))
	if err != nil {
		return err
	}
	id, err := watchable(s.Send(ctx, c, a))
	if err != nil {
		return err
	}
	if err := dead.Lift(ctx); err != nil {
		return err
	}
	asks, err := s.Inject(ctx, c, pay.fault(0, harness.CutBeforeForward, harness.Action{Name: harness.ActStatus, Status: 429, RetryAfter: "1"}))
	if err != nil {
		return err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Send(ctx, c, a) // the same key carries on with it
	}()
	defer func() { <-done }()
	for under := true; under; {
		read(ctx, s, c, a.Principal, id)
		select {
		case <-done:
			under = false
		case <-time.After(followEvery):
		}
	}
	return asks.Lift(ctx)
}

// statesNamed brings checkouts into each state that can be reached, most of them by
// faults, and reads their status on the way.
func statesNamed() harness.Scenario {
	return harness.Scenario{
		ID:    "status/states-named",
		Title: "checkouts succeed, are left pending, and fail for now and for good; every state is one of the four",
		Needs: harness.Needs{"checkout", "status"},
		Lasts: 3 * time.Second,
		Drive: driveStates,
		Checks: []harness.Check{
			answers("SRS-CHK-002.17", "states-closed", check.StatesClosed(check.All())),
		},
	}
}

func driveStates(ctx context.Context, s *harness.Session) error {
	type life struct {
		label, variant string
		faults         []harness.Fault
	}
	lives := []life{{"succeeds", "", nil}}
	if offers(s.Target(), harness.CapDependencies) {
		pay, err := paying(s)
		if err != nil {
			return err
		}
		lives = append(lives,
			life{"fails-for-now", "", []harness.Fault{onEvery(pay, harness.Action{Name: harness.ActStatus, Status: 503})}},
			life{"fails-for-good", "", []harness.Fault{onEvery(pay, harness.Action{Name: harness.ActStatus, Status: 422})}},
			life{"left-open", "", []harness.Fault{pay.fault(0, harness.CutBeforeForward, harness.Action{Name: harness.ActReset})}})
	}
	if offers(s.Target(), harness.CapDecline) {
		lives = append(lives, life{"declined", variantDeclined, nil})
	}
	return harness.Parallel(len(lives), func(i int) error {
		c := s.Case(lives[i].label)
		var armed []*harness.Injected
		for _, f := range lives[i].faults {
			injected, err := s.Inject(ctx, c, f)
			if err != nil {
				return err
			}
			armed = append(armed, injected)
		}
		r := s.Send(ctx, c, harness.Attempt{Principal: s.DefaultPrincipal(), Variant: lives[i].variant})
		if id := handle(r); id != "" {
			read(ctx, s, c, s.DefaultPrincipal(), id)
		}
		for _, injected := range armed {
			if err := injected.Lift(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

// readsKept is how often a terminal checkout is read at least.
const readsKept = 5

// stateKept reads two checkouts for as long as two rounds of reconciliation take
// after they have become terminal, while their callers go on repeating them. Where
// we stand between the target and its payment they are pending first.
func stateKept() harness.Scenario {
	every := check.All()
	return harness.Scenario{
		ID:    "status/terminal-kept",
		Title: "a checkout succeeds, another one is declined, both from being pending where that can be had; repeated and read again and again, neither changes any more",
		Needs: harness.Needs{"checkout", "status"},
		Lasts: 5 * time.Second,
		Drive: driveKept,
		Checks: []harness.Check{
			answers("SRS-CHK-002.19", "terminal-states-absorbing", check.StateAbsorbing(every, readsKept)),
			invariant("I1", "at-most-once-effect", check.AtMostOnce(every)),
		},
	}
}

func driveKept(ctx context.Context, s *harness.Session) error {
	variants := map[string]string{"paid": "", "declined": variantDeclined}
	labels := []string{"paid", "declined"}
	if !offers(s.Target(), harness.CapDecline) {
		labels = labels[:1]
	}
	return harness.Parallel(len(labels), func(i int) error {
		c, a := s.Case(labels[i]), harness.Attempt{Principal: s.DefaultPrincipal(), Variant: variants[labels[i]]}
		id, err := delayed(ctx, s, c, a)
		if errors.Is(err, errNoHandle) && labels[i] == "declined" { // whoever is declined may get nothing to ask by
			s.Note(c, check.MarkUnreadable, err.Error(), nil)
			return nil
		}
		if err != nil {
			return err
		}
		policy := s.Target().Policy
		if err := follow(ctx, s, c, id, check.ReconcileLimit(policy), func(state string) bool {
			if state == "FAILED_RETRYABLE" {
				s.Send(ctx, c, a) // that one waits for its caller
			}
			return state == "SUCCEEDED" || state == "FAILED_FINAL"
		}); err != nil {
			return err
		}
		// Until the target had the time to change its mind, and often enough.
		began, reads := time.Now(), 0
		return follow(ctx, s, c, id, check.ReconcileLimit(policy), func(string) bool {
			s.Send(ctx, c, a)
			reads++
			return reads >= readsKept && time.Since(began) > 2*policy.Checkout.ReconcileEvery()
		})
	})
}

// delayed makes a checkout, whose payment is lost on its way where we stand there,
// and returns what its status is read by.
func delayed(ctx context.Context, s *harness.Session, c *harness.Case, a harness.Attempt) (string, error) {
	if !offers(s.Target(), harness.CapDependencies) {
		return watchable(s.Send(ctx, c, a))
	}
	pay, err := paying(s)
	if err != nil {
		return "", err
	}
	lost, err := s.Inject(ctx, c, pay.fault(0, harness.CutBeforeForward, harness.Action{Name: harness.ActReset}))
	if err != nil {
		return "", err
	}
	id, err := watchable(s.Send(ctx, c, a))
	if err != nil {
		return "", err
	}
	read(ctx, s, c, a.Principal, id)
	return id, lost.Lift(ctx)
}

// declinedForGood watches a declined checkout over two rounds of reconciliation.
func declinedForGood() harness.Scenario {
	every := check.All()
	return harness.Scenario{
		ID:    "status/declined-for-good",
		Title: "the provider declines the card; the checkout has failed for good, and stays so over two rounds of reconciliation",
		Needs: harness.Needs{"checkout", "dependencies", "status", string(harness.CapDecline)},
		Lasts: 3 * time.Second,
		Drive: func(ctx context.Context, s *harness.Session) error {
			c := s.Case("declined")
			id, err := watchable(s.Send(ctx, c, harness.Attempt{Principal: s.DefaultPrincipal(), Variant: variantDeclined}))
			if err != nil {
				return err
			}
			limit := 2*s.Target().Policy.Checkout.ReconcileEvery() + followEvery
			return follow(ctx, s, c, id, limit, func(string) bool { return false })
		},
		Checks: []harness.Check{
			answers("SRS-CHK-002.27", "declined", check.Literally(check.DeclineSpelling, check.Declined(every))),
			answers("SRS-CHK-002.27", "paid-for-once", check.PaidForOnce(every)),
			answers("SRS-CHK-002.27", "failed-for-good", check.DeclineFinal(every)),
			invariant("I6", "no-orphan-effect", check.NothingLeftBehind(every)),
		},
	}
}

// promptCheckouts is how many undisturbed checkouts are made.
const promptCheckouts = 12

// resultAtOnce makes undisturbed checkouts.
func resultAtOnce() harness.Scenario {
	return harness.Scenario{
		ID:    "status/result-at-once",
		Title: "undisturbed checkouts are answered with their results, and none as pending",
		Needs: harness.Needs{"checkout"},
		Drive: func(ctx context.Context, s *harness.Session) error {
			return harness.Parallel(promptCheckouts, func(i int) error {
				s.Send(ctx, s.Case(fmt.Sprintf("prompt-%d", i+1)), harness.Attempt{Principal: s.DefaultPrincipal()})
				return nil
			})
		},
		Checks: []harness.Check{
			answers("SRS-CHK-002.21", "terminal-at-once", check.TerminalAtOnce(check.All(), promptCheckouts)),
		},
	}
}
