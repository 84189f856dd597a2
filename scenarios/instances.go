package scenarios

import (
	"context"
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

func instancesScenarios() []harness.Scenario {
	return []harness.Scenario{instancesConcurrent(), readYourWrites(), disconnect()}
}

func instancesConcurrent() harness.Scenario {
	every := check.All()
	across := func(judge func(*harness.History) harness.Verdict) func(*harness.History) harness.Verdict {
		return check.AcrossInstances(every, judge)
	}
	return harness.Scenario{
		ID:    "instances/concurrent",
		Title: "duplicates of one key are released together at all instances of the service; they make one checkout, and no loser is told of a failure",
		Needs: harness.Needs{"checkout", "instances", "effects"},
		Drive: driveInstances,
		Checks: []harness.Check{
			overlapping(effects("SRS-CHK-001.25", "one-checkout-over-all-instances", across(check.EachSucceeded(every, check.EffectsMatchSuccesses(every))))),
			overlapping(effects("SRS-CHK-001.25", "at-most-once-effect", across(check.AtMostOnce(every)))),
			overlapping(answers("SRS-CHK-001.25", "losers-meet-no-failure", across(check.NoServerError(every)))),
			supplement(overlapping(answers("SRS-CHK-001.25", "losers-converge", across(check.LosersConverge(every))))),
			overlapping(invariant("I1", "at-most-once-effect", check.AtMostOnce(every))),
			overlapping(harness.Check{Name: "one-order-per-key", Invariant: "I2", Judge: check.SameOrderID(every, 1)}),
			invariant("I4", "becomes-terminal", check.BecomesTerminal(every)),
		},
	}
}

// instanceCrowds are the sizes of the rounds: a few of each, for one that only
// looks whether a key is free loses a race in one round of several.
func instanceCrowds(limits harness.Limits) []int {
	if limits != (harness.Limits{}) {
		return []int{2, 10}
	}
	return []int{2, 2, 2, 2, 20, 20, 20, 20}
}

// driveInstances sends every second caller of a round to another instance, and
// lets the losers ask again, where they were.
func driveInstances(ctx context.Context, s *harness.Session) error {
	instances := s.Target().Instances
	if instances < 2 {
		return fmt.Errorf("the profile names %d instance(s), and this takes two (target.instances)", instances)
	}
	type loser struct {
		c        *harness.Case
		instance int
	}
	var losers []loser
	for round, n := range instanceCrowds(s.Target().Limits) {
		c := s.Case(fmt.Sprintf("round-%d-of-%d", round+1, n))
		results, err := s.Together(ctx, c, n, func(i int) harness.Attempt {
			return harness.Attempt{Principal: s.DefaultPrincipal(), Instance: i % instances}
		})
		if err != nil {
			return err
		}
		for i, r := range results {
			if r.Err != nil || !r.Class.Terminal() {
				losers = append(losers, loser{c, i % instances})
			}
		}
	}
	limit, cancel := context.WithTimeout(ctx, s.Target().Policy.Client.Total.Std())
	defer cancel()
	return harness.Parallel(len(losers), func(i int) error {
		s.Converge(limit, losers[i].c, harness.Attempt{Principal: s.DefaultPrincipal(), Instance: losers[i].instance})
		return nil
	})
}

// ownWrites is how many requests are read at once after their answers.
const ownWrites = 12

func readYourWrites() harness.Scenario {
	every := check.All()
	return harness.Scenario{
		ID:    "status/read-your-writes",
		Title: "the status of a request that was just answered, finished or pending, is read at once at every instance",
		Needs: harness.Needs{"checkout", "status", "instances"},
		Lasts: 4 * time.Second,
		Drive: driveOwnWrites,
		Checks: []harness.Check{
			answers("SRS-CHK-003.11", "finished-request-read-at-every-instance", check.OwnWritesRead(check.Labelled("finished-"), harness.ClassSuccess)),
			needs(answers("SRS-CHK-003.11", "pending-request-read-at-every-instance", check.OwnWritesRead(check.Labelled("pending-"), harness.ClassPending)), "dependencies"),
			invariant("I1", "at-most-once-effect", check.AtMostOnce(every)),
		},
	}
}

// neverAnswered lets the provider do all that it is asked, and loses every answer
// of it: what became of a payment cannot be found out meanwhile.
func neverAnswered(pay operation) harness.Fault {
	return harness.Fault{Link: pay.link, Cut: harness.Cut{Point: harness.CutAfterCommit}, Action: harness.Action{Name: harness.ActReset}}
}

// driveOwnWrites makes checkouts at all instances in turn, some of them with a
// payment whose outcome stays unknown, and reads each where it was made and
// everywhere else.
func driveOwnWrites(ctx context.Context, s *harness.Session) error {
	instances := s.Target().Instances
	if instances < 2 {
		return fmt.Errorf("the profile names %d instance(s), and this takes two (target.instances)", instances)
	}
	return harness.Parallel(ownWrites, func(i int) error {
		a := harness.Attempt{Principal: s.DefaultPrincipal(), Instance: i % instances}
		c := s.Case(fmt.Sprintf("finished-%d", i+1))
		if i >= ownWrites-instances && offers(s.Target(), harness.CapDependencies) {
			c = s.Case(fmt.Sprintf("pending-%d", i+1))
			pay, err := paying(s)
			if err != nil {
				return err
			}
			if _, err := s.Inject(ctx, c, neverAnswered(pay)); err != nil {
				return err
			}
		}
		id, err := watchable(s.Send(ctx, c, a))
		if err != nil {
			return err
		}
		return harness.Parallel(instances, func(reader int) error {
			s.Send(ctx, c, harness.Attempt{Operation: harness.OpStatus, Principal: a.Principal, Instance: reader, Vars: map[string]any{"requestId": id}})
			return nil
		})
	})
}
