package scenarios

import (
	"context"
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// failing is one case of a retry scenario: faults on one dependency operation,
// after which the checkout has to succeed by itself.
type failing struct {
	label  string
	faults []harness.Fault
}

// retryScenario makes a scenario in which every case of build meets its faults
// once, all cases side by side.
func retryScenario(id string, clause harness.ClauseID, title string, build func(ops []operation) []failing) harness.Scenario {
	every := check.All()
	return harness.Scenario{
		ID:    id,
		Title: title,
		Needs: harness.Needs{"checkout", "dependencies"},
		Drive: func(ctx context.Context, s *harness.Session) error {
			ops := effecting(s)
			if len(ops) == 0 {
				return errNothingEffecting
			}
			cases := build(ops)
			return harness.Parallel(len(cases), func(i int) error { return driveFailing(ctx, s, cases[i]) })
		},
		Checks: []harness.Check{
			answers(clause, "retried-exactly", check.RetriedExactly(every)),
			supplement(effects(clause, "one-effect-of-each-kind", check.EffectsMatchSuccesses(every))),
			invariant("I1", "at-most-once-effect", check.AtMostOnce(every)),
			invariant("I6", "no-orphan-effect", check.NothingLeftBehind(every)),
		},
	}
}

func driveFailing(ctx context.Context, s *harness.Session, f failing) error {
	_, err := driveFailingAs(ctx, s, f, "")
	return err
}

// driveFailingAs sends a variant of the checkout into the faults.
func driveFailingAs(ctx context.Context, s *harness.Session, f failing, variant string) (*harness.Case, error) {
	c := s.Case(f.label)
	var armed []*harness.Injected
	for _, fault := range f.faults {
		injected, err := s.Inject(ctx, c, fault)
		if err != nil {
			return c, err
		}
		armed = append(armed, injected)
	}
	s.Send(ctx, c, harness.Attempt{Principal: s.DefaultPrincipal(), Variant: variant})
	for _, injected := range armed {
		if err := injected.Lift(ctx); err != nil {
			return c, err
		}
	}
	return c, nil
}

// bothSides are the two cuts that look alike to the caller: only the ledger
// tells whether the effect happened before the answer was lost.
func bothSides() []harness.Point {
	return []harness.Point{harness.CutBeforeForward, harness.CutAfterCommit}
}

func eachSide(ops []operation, a harness.Action) []failing {
	var cases []failing
	for _, o := range ops {
		for _, cut := range bothSides() {
			cases = append(cases, failing{o.link + "-" + string(cut), []harness.Fault{o.fault(1, cut, a)}})
		}
	}
	return cases
}

func retryTimeout() harness.Scenario {
	s := retryScenario("retry/timeout", "SRS-CHK-002.01",
		"each dependency stays silent once, before and after its commit; the call is repeated once and the checkout succeeds",
		func(ops []operation) []failing { return eachSide(ops, harness.Action{Name: harness.ActStall}) })
	s.Lasts = 6 * time.Second
	return s
}

func retryReset() harness.Scenario {
	return retryScenario("retry/reset", "SRS-CHK-002.02",
		"each dependency resets the connection once, before and after its commit; the call is repeated once and the checkout succeeds",
		func(ops []operation) []failing { return eachSide(ops, harness.Action{Name: harness.ActReset}) })
}

func retryThrottled() harness.Scenario {
	return retryScenario("retry/throttled", "SRS-CHK-002.03",
		"each dependency answers 429 once, the payment also twice in a row from a stub; then it succeeds",
		func(ops []operation) []failing {
			var cases []failing
			for _, o := range ops {
				cases = append(cases, failing{o.link + "-once", []harness.Fault{o.fault(1, harness.CutBeforeForward, harness.Action{Name: harness.ActStatus, Status: 429})}})
				if o.effect == "charge" {
					cases = append(cases, failing{o.link + "-twice", stubbed(o, 429, 2)})
				}
			}
			return cases
		})
}

func retryServerError() harness.Scenario {
	return retryScenario("retry/server-error", "SRS-CHK-002.04",
		"each dependency answers 500, 502, 503 and 504 once, the payment's 503 from a stub; then it succeeds",
		func(ops []operation) []failing {
			var cases []failing
			for _, o := range ops {
				for _, status := range []int{500, 502, 503, 504} {
					faults := []harness.Fault{o.fault(1, harness.CutBeforeForward, harness.Action{Name: harness.ActStatus, Status: status})}
					if o.effect == "charge" && status == 503 {
						faults = stubbed(o, status, 1)
					}
					cases = append(cases, failing{fmt.Sprintf("%s-%d", o.link, status), faults})
				}
			}
			return cases
		})
}

// stubbed lets a stub answer the first n exchanges in place of the dependency.
func stubbed(o operation, status, n int) []harness.Fault {
	var faults []harness.Fault
	for i := range n {
		faults = append(faults, o.fault(i+1, harness.CutStub, harness.Action{Name: harness.ActStatus, Status: status}))
	}
	return faults
}
