package scenarios

import (
	"context"
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// twoKeys is about a client that lost its key and sends the same cart version under
// another. Whether that is a second checkout is policy: what the target makes of it
// is told, and judged only where the dialect says what it should be. That much is
// asked of all: each key behaves by itself, and what both were told is true.
func twoKeys() harness.Scenario {
	every, after, atOnce := check.All(), check.Labelled("one-after-the-other"), check.Labelled("at-once")
	return harness.Scenario{
		ID:    "idempotency/two-keys-one-cart",
		Title: "one cart version under two keys, one after the other and at once: what the target makes of it, and whether each key stands by it",
		Needs: harness.Needs{"checkout", "effects"},
		Drive: driveTwoKeys,
		Checks: []harness.Check{
			overlapping(invariant("I1", "at-most-once-effect", check.TwoKeysOneCart(after, atOnce))), // first: its reason is the scenario's
			{Name: "one-order-per-key", Invariant: "I2", Judge: check.SameOrderID(every, 0)},         // a key that was refused has none to repeat
			invariant("I3", "refused-has-no-effect", check.NothingLeftBehind(every)),
			invariant("I4", "becomes-terminal", check.RivalsBecomeTerminal(every)),
			supplement(answers("SRS-CHK-001.26", "each-key-keeps-its-answer", check.KeysKeepTheirAnswers(every, after))),
			supplement(overlapping(effects("SRS-CHK-001.56", "every-order-told-is-made-once", check.OrdersOfOneCart(every)))),
			supplement(overlapping(effects("SRS-CHK-001.56", "second-key-as-declared", check.SameCartAsDeclared(every)))),
		},
	}
}

// races returns how often two keys race for one cart. A target whose profile asks to
// be spared gets one race.
func races(limits harness.Limits) int {
	if limits != (harness.Limits{}) {
		return 1
	}
	return 5
}

func driveTwoKeys(ctx context.Context, s *harness.Session) error {
	after := s.Case("one-after-the-other")
	cases := []*harness.Case{after}
	for _, a := range bothKeys(s, after) {
		ending(ctx, s, after, a, s.Send(ctx, after, a))
	}
	for n := range races(s.Target().Limits) {
		c := s.Case(fmt.Sprintf("at-once-%d", n+1))
		keys := bothKeys(s, c)
		results, err := s.Together(ctx, c, len(keys), func(i int) harness.Attempt { return keys[i] })
		if err != nil {
			return err
		}
		for i, a := range keys {
			ending(ctx, s, c, a, results[i])
		}
		cases = append(cases, c)
	}
	if err := s.Rest(ctx); err != nil {
		return err
	}
	return harness.Parallel(len(cases), func(i int) error {
		for _, a := range bothKeys(s, cases[i]) {
			s.Send(ctx, cases[i], a)
		}
		return nil
	})
}

// bothKeys are the two requests of a case, which differ in nothing but their keys.
func bothKeys(s *harness.Session, c *harness.Case) []harness.Attempt {
	me := s.DefaultPrincipal()
	return []harness.Attempt{{Principal: me}, {Principal: me, Keys: []string{s.Target().Dialect.KeyLine(s.Key("second of " + c.Label))}}}
}

// ending repeats a request whose answer was none, or left it open.
func ending(ctx context.Context, s *harness.Session, c *harness.Case, a harness.Attempt, r harness.Result) {
	if r.Err == nil && r.Class.Terminal() {
		return
	}
	limit, cancel := context.WithTimeout(ctx, s.Target().Policy.Client.Total.Std())
	defer cancel()
	s.Converge(limit, c, a)
}
