package scenarios

import (
	"context"
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// keylessRefused has an operation that takes no key answer what one that takes a
// key is repeated for.
func keylessRefused() harness.Scenario {
	every := check.All()
	return harness.Scenario{
		ID:    "retry/keyless-refused",
		Title: "an operation that takes no key answers 429 and 503; it is called once",
		Needs: harness.Needs{"checkout", "dependencies", string(harness.CapKeyless)},
		Drive: func(ctx context.Context, s *harness.Session) error {
			return driveKeyless(ctx, s, func(o operation) []failing {
				var cases []failing
				for _, status := range []int{429, 503} {
					cases = append(cases, failing{fmt.Sprintf("%s-%d", o.link, status), []harness.Fault{onEvery(o, harness.Action{Name: harness.ActStatus, Status: status})}})
				}
				return cases
			}, "")
		},
		Checks: []harness.Check{
			answers("SRS-CHK-002.08", "called-once", check.CalledOnce(every)),
			invariant("I1", "at-most-once-effect", check.AtMostOnce(every)),
		},
	}
}

// keylessLost cuts calls of such an operation off. What became of them nobody can
// find out, so that the requests stay open, and their effects prove nothing.
func keylessLost() harness.Scenario {
	return harness.Scenario{
		ID:    "retry/keyless-lost",
		Title: "the call of an operation that takes no key is reset or left without an answer, on either side of its commit; it is called once",
		Needs: harness.Needs{"checkout", "dependencies", string(harness.CapKeyless)},
		Lasts: 5 * time.Second,
		Drive: func(ctx context.Context, s *harness.Session) error {
			return driveKeyless(ctx, s, func(o operation) []failing {
				var cases []failing
				for _, cut := range bothSides() {
					for _, action := range []harness.ActionName{harness.ActReset, harness.ActStall} {
						cases = append(cases, failing{fmt.Sprintf("%s-%s-%s", o.link, cut, action), []harness.Fault{o.fault(0, cut, harness.Action{Name: action})}})
					}
				}
				return cases
			}, "what a dependency without keys did behind a lost answer cannot be found out by asking again")
		},
		Checks: []harness.Check{answers("SRS-CHK-002.08", "called-once", check.CalledOnce(check.All()))},
	}
}

// driveKeyless drives the cases of every keyless operation. With a reason they
// stay open.
func driveKeyless(ctx context.Context, s *harness.Session, build func(operation) []failing, open string) error {
	ops, variant := keyless(s)
	var cases []failing
	for _, o := range ops {
		cases = append(cases, build(o)...)
	}
	return harness.Parallel(len(cases), func(i int) error {
		c, err := driveFailingAs(ctx, s, cases[i], variant)
		if open != "" {
			s.LeaveOpen(c, open)
		}
		return err
	})
}
