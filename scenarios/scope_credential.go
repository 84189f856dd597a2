package scenarios

import (
	"context"
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

func scopeCredential() harness.Scenario {
	every := check.All()
	return harness.Scenario{
		ID:    "idempotency/scope-credential",
		Title: "a customer whose token was refreshed between two sends is the same customer, and gets a replay",
		Needs: harness.Needs{"checkout", "effects", string(harness.CapRefreshed)},
		Drive: func(ctx context.Context, s *harness.Session) error {
			me, err := refreshing(s)
			if err != nil {
				return err
			}
			c := s.Case("refreshed")
			for _, refreshed := range []bool{false, true, false, true} {
				s.Send(ctx, c, harness.Attempt{Principal: me, Refreshed: refreshed})
			}
			return nil
		},
		Checks: []harness.Check{
			answers("SRS-CHK-001.22", "refreshed-token-gets-the-replay", check.EachSucceeded(every, check.WithRefreshed(every, check.SameOutcomeReplayed(every, 3)))),
			effects("SRS-CHK-001.22", "one-checkout-for-both-tokens", check.EachSucceeded(every, check.WithRefreshed(every, check.EffectsMatchSuccesses(every)))),
			invariant("I1", "at-most-once-effect", check.AtMostOnce(every)),
		},
	}
}

// refreshing returns a customer with second credentials, the default one first.
func refreshing(s *harness.Session) (string, error) {
	if me, ok := s.Target().Principal(s.DefaultPrincipal()); ok && me.Refreshed {
		return me.Name, nil
	}
	for _, p := range s.Target().Principals {
		if p.Refreshed && len(p.Roles) == 0 {
			return p.Name, nil
		}
	}
	return "", fmt.Errorf("no customer of the profile has refreshed credentials (principals.NAME.refreshed)")
}
