package scenarios

import (
	"context"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

func conflict422() harness.Scenario {
	altered, respelt := check.Labelled("changed"), check.Labelled("respelt")
	in422 := func(j judge) judge { return check.Unless(check.MismatchUnlike422, j) }
	return harness.Scenario{
		ID:    "idempotency/conflict-422",
		Title: "where a used key with another body is a 422: it does nothing, the original body is a replay, and so it is in another member order",
		Needs: harness.Needs{"checkout", "effects|dependencies"},
		Drive: func(ctx context.Context, s *harness.Session) error {
			me := s.DefaultPrincipal()
			original := harness.Attempt{Principal: me}
			c := s.Case("changed-amount")
			s.Send(ctx, c, original)
			s.Send(ctx, c, changed(c, me))
			s.Send(ctx, c, original)
			c = s.Case("respelt")
			s.Send(ctx, c, original)
			s.Send(ctx, c, harness.Attempt{Principal: me, Spelling: harness.SpeltReversed})
			return nil
		},
		Checks: []harness.Check{
			answers("SRS-CHK-001.54", "other-body-is-422", in422(check.MismatchRefused(altered))),
			answers("SRS-CHK-001.54", "original-body-replays", in422(check.IntactAfterMismatch(altered))),
			answers("SRS-CHK-001.54", "equal-body-in-another-order-replays", in422(check.EqualMeaningReplayed(respelt))),
			supplement(effects("SRS-CHK-001.54", "other-body-has-no-effect", in422(check.EffectsMatchSuccesses(check.All())))),
			invariant("I3", "refused-has-no-effect", check.NothingLeftBehind(check.All())),
		},
	}
}
