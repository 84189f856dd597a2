package scenarios

import (
	"context"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

func conflictIntact() harness.Scenario {
	every := check.All()
	return harness.Scenario{
		ID:    "idempotency/conflict-intact",
		Title: "a conflict leaves the first request's answer as it was, and tells nothing of it",
		Needs: harness.Needs{"checkout"},
		Drive: func(ctx context.Context, s *harness.Session) error {
			me := s.DefaultPrincipal()
			amount, words := s.Case("changed-amount"), s.Case("changed-words")
			others := []harness.Attempt{changed(amount, me), inOtherWords(s, me)}
			return harness.Parallel(len(others), func(i int) error {
				c := []*harness.Case{amount, words}[i]
				s.Send(ctx, c, harness.Attempt{Principal: me})
				s.Send(ctx, c, others[i])
				s.Send(ctx, c, harness.Attempt{Principal: me})
				return nil
			})
		},
		Checks: []harness.Check{
			answers("SRS-CHK-001.35", "original-replays-after-a-conflict", check.IntactAfterMismatch(every)),
			answers("SRS-CHK-001.36", "conflict-reveals-nothing", check.MismatchRevealsNothing(every)),
			invariant("I3", "refused-has-no-effect", check.NothingLeftBehind(every)),
		},
	}
}

// inOtherWords is a request that shares no text with the case's, down to the
// correlation id, so that its answer can repeat none of the original's with right.
// Its amount still says whose it is.
func inOtherWords(s *harness.Session, principal string) harness.Attempt {
	return harness.Attempt{Principal: principal, Vars: map[string]any{"cart": "cart-" + s.Key("other words")}, CorrelationID: "corr-" + s.Key("other correlation")}
}
