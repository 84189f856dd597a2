package scenarios

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// strangers are the callers without good credentials that the target can be tried
// with, by the labels of their cases.
func strangers(s *harness.Session) map[string]string {
	callers := map[string]string{noCredentials: harness.NoPrincipal}
	for _, kind := range s.Target().Refused {
		callers[kind] = harness.RefusedPrincipal(kind)
	}
	return callers
}

// authEndpoints asks both operations without good credentials, under keys that
// nobody used and for a checkout that exists, and every other that takes a key.
func authEndpoints() harness.Scenario {
	every := check.All()
	return harness.Scenario{
		ID:    "auth/every-endpoint",
		Title: "callers without credentials, with malformed ones, expired ones and ones that somebody else signed may neither buy nor read",
		Needs: harness.Needs{"checkout"},
		Drive: func(ctx context.Context, s *harness.Session) error {
			me, callers := s.DefaultPrincipal(), strangers(s)
			kinds := slices.Sorted(maps.Keys(callers))
			return harness.Parallel(len(kinds), func(i int) error {
				c := s.Case("caller-" + kinds[i])
				s.Send(ctx, c, harness.Attempt{Principal: callers[kinds[i]]})
				bought, err := answered(ctx, s, c, harness.Attempt{Principal: me})
				if err != nil {
					return err
				}
				for _, o := range s.Target().Operations {
					s.Send(ctx, s.Case("caller-"+kinds[i]+"-"+o.Name), harness.Attempt{Operation: o.Name, Principal: callers[kinds[i]],
						Vars: map[string]any{"requestId": bought.RequestID, "orderId": bought.OrderID}})
				}
				if offers(s.Target(), harness.CapStatus) {
					id := cmp.Or(bought.RequestID, bought.OrderID)
					read(ctx, s, c, callers[kinds[i]], id)
					read(ctx, s, c, me, id)
				}
				return nil
			})
		},
		Checks: []harness.Check{
			answers("SRS-CHK-SEC.01", "checkout-refused", check.Unauthenticated(every, harness.OpCheckout)),
			needs(answers("SRS-CHK-SEC.01", "status-refused", check.Unauthenticated(every, harness.OpStatus)), "status"),
			invariant("I3", "refused-has-no-effect", check.NothingLeftBehind(every)),
		},
	}
}

// authReplay repeats a finished request without good credentials: whoever looks a
// key up before asking who wants to know tells a stranger what was bought.
func authReplay() harness.Scenario {
	every := check.All()
	return harness.Scenario{
		ID:    "auth/before-the-key",
		Title: "a finished key, sent without credentials, with malformed, expired or foreign ones, brings what an unused key brings: 401 and no word of what is stored",
		Needs: harness.Needs{"checkout"},
		Drive: func(ctx context.Context, s *harness.Session) error {
			me, callers := s.DefaultPrincipal(), strangers(s)
			kinds := slices.Sorted(maps.Keys(callers))
			return harness.Parallel(len(kinds), func(i int) error {
				c, stranger := s.Case("caller-"+kinds[i]), callers[kinds[i]]
				unused := []string{s.Target().Dialect.KeyLine(s.Key("unused-" + kinds[i]))}
				for _, a := range []harness.Attempt{{Principal: me}, {Principal: stranger}, {Principal: stranger, Keys: unused}, {Principal: me}} {
					s.Send(ctx, c, a)
				}
				return nil
			})
		},
		Checks: []harness.Check{
			answers("SRS-CHK-001.12", "strangers-learn-nothing", allStrangers(check.NothingToldToStrangers(every))),
			invariant("I1", "at-most-once-effect", check.AtMostOnce(every)),
			invariant("I3", "refused-has-no-effect", check.NothingLeftBehind(every)),
		},
	}
}

// allStrangers asks for every kind that the clause names.
func allStrangers(j judge) judge { return check.WhereOffered("refused", rightlessKinds("caller-"), j) }
