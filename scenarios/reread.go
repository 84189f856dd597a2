package scenarios

import (
	"context"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// conflictReread lets each dependency that can be asked answer 409: where it has
// carried out the call, so that a query says done, and where it has not.
func conflictReread() harness.Scenario {
	every := check.All()
	return harness.Scenario{
		ID:    "retry/conflict-reread",
		Title: "each dependency that can be asked answers 409 once, having carried out the call or not; its state is read before anything is repeated",
		Needs: harness.Needs{"checkout", "dependencies"},
		Drive: func(ctx context.Context, s *harness.Session) error {
			var cases []failing
			for _, o := range effecting(s) {
				if len(queriesOf(s, o)) == 0 {
					continue
				}
				conflict := harness.Action{Name: harness.ActStatus, Status: 409}
				cases = append(cases,
					failing{"done-" + o.link, []harness.Fault{o.fault(1, harness.CutAfterCommit, conflict)}},
					failing{"not-done-" + o.link, []harness.Fault{o.fault(1, harness.CutBeforeForward, conflict)}})
			}
			if len(cases) == 0 {
				return errNobodyAsked
			}
			return harness.Parallel(len(cases), func(i int) error { return driveFailing(ctx, s, cases[i]) })
		},
		Checks: []harness.Check{
			answers("SRS-CHK-002.29", "state-read-before-repeat", check.RereadsConflict(every)),
			invariant("I1", "at-most-once-effect", check.AtMostOnce(every)),
			invariant("I6", "no-orphan-effect", check.NothingLeftBehind(every)),
		},
	}
}
