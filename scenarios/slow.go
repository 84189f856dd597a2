package scenarios

import (
	"context"
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

func slowWork() harness.Scenario {
	every := check.All()
	return harness.Scenario{
		ID:    "retry/slow-provider",
		Title: "the provider is silent after it took the money, and answers the next attempt late; nobody else takes the request over meanwhile, and its caller and all who repeat it get one answer",
		Needs: harness.Needs{"checkout", "dependencies", "effects"},
		Long:  func(p harness.Policy) time.Duration { return p.Client.Total.Std() },
		Drive: driveSlow,
		Checks: []harness.Check{
			effects("SRS-CHK-001.48", "one-effect-of-each-kind", check.EachSucceeded(every, check.EffectsMatchSuccesses(every))),
			effects("SRS-CHK-001.48", "at-most-once-effect", check.AtMostOnce(every)),
			answers("SRS-CHK-001.48", "one-answer", check.SameOrderID(every, 1)),
			supplement(answers("SRS-CHK-001.48", "original-response-replayed", check.OriginalResponseReplayed(every, 1))),
			invariant("I1", "at-most-once-effect", check.AtMostOnce(every)),
			invariant("I4", "becomes-terminal", check.BecomesTerminal(every)),
		},
	}
}

// spare is what is left of a call's time once its last attempt is answered.
const spare = 2 * time.Second

// driveSlow makes a payment take as long as the target's own limits allow: its
// first attempt runs into the limit of one, its second is answered late. Whatever
// lease the work goes by, it is long over then. Others send the request again all
// the time, to another instance where there is one.
func driveSlow(ctx context.Context, s *harness.Session) error {
	pay, err := paying(s)
	if err != nil {
		return err
	}
	p := s.Target().Policy.Client
	late := p.Total.Std() - p.Read.Std() - spare
	if p.Retries < 1 || late <= 0 || late >= p.Read.Std() {
		return fmt.Errorf("within %s a call that may take %s for an attempt has no room for a late second one (policy.client)", p.Total.Std(), p.Read.Std())
	}
	c := s.Case("slow")
	for _, f := range []harness.Fault{
		pay.fault(1, harness.CutAfterCommit, harness.Action{Name: harness.ActStall}),
		pay.fault(2, harness.CutBeforeForward, harness.Action{Name: harness.ActDelay, Delay: harness.Duration(late)}),
	} {
		if _, err := s.Inject(ctx, c, f); err != nil {
			return err
		}
	}
	a := harness.Attempt{Principal: s.DefaultPrincipal()}
	done := make(chan struct{})
	return harness.Parallel(2, func(i int) error {
		if i == 0 {
			defer close(done)
			s.Send(ctx, c, a)
			return nil
		}
		again := a
		again.Instance = max(s.Target().Instances, 1) - 1
		for {
			if err := s.Watch(ctx, time.Second); err != nil {
				return err
			}
			s.Send(ctx, c, again)
			select {
			case <-done:
				s.Send(ctx, c, again)
				return nil
			default:
			}
		}
	})
}
