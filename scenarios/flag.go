package scenarios

import (
	"context"
	"fmt"
	"slices"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// flagRequiresKey switches whether requests without a key are refused.
func flagRequiresKey() harness.Scenario {
	off, kept := check.Labelled("off-keyless"), check.Labelled("kept-")
	return harness.Scenario{
		ID:        "flag/key-required",
		Title:     "the flag is off: requests without a key run once each, a key protects as ever, and a malformed one is not taken for none; on: without a key nothing runs, and keys do what they did",
		Needs:     harness.Needs{"checkout", "feature-flag", "require-key-flag"},
		Exclusive: true,
		Drive:     driveRequireKey,
		Checks: []harness.Check{
			answers("SRS-CHK-SEC.06", "keyless-tolerated-while-off", check.KeylessTolerated(off)),
			answers("SRS-CHK-SEC.06", "key-protects-while-off", check.KeyProtects(kept, 2)),
			supplement(answers("SRS-CHK-SEC.06", "conflict-refused-while-off", check.MismatchRefused(kept))),
			effects("SRS-CHK-SEC.06", "one-effect-each-while-off", check.EffectsMatchSuccesses(check.Labelled("off-", "kept-"))),
			answers("SRS-CHK-SEC.07", "keyless-refused-while-on", check.Literally(check.MissingSpelling, check.MissingKey(check.Labelled("on-keyless")))),
			answers("SRS-CHK-SEC.07", "key-protects-while-on", check.KeyProtects(check.Labelled("on-keyed"), 2)),
			invariant("I1", "at-most-once-effect", check.AtMostOnce(check.All())),
			invariant("I3", "refused-has-no-effect", check.NothingLeftBehind(check.All())),
		},
	}
}

func driveRequireKey(ctx context.Context, s *harness.Session) error {
	flag, err := s.Flag(harness.FlagRequireKey)
	if err != nil {
		return err
	}
	me := s.DefaultPrincipal()
	kept, keyless, keyed := harness.Attempt{Principal: me}, harness.Attempt{Principal: me, Keys: []string{}}, s.Case("on-keyed")
	tolerated, refused, replayed := s.Case("off-keyless"), s.Case("on-keyless"), s.Case("kept-replayed")
	if err := s.SetFlag(ctx, flag, false); err != nil {
		return err
	}
	for range 2 {
		s.Send(ctx, tolerated, keyless)
		s.Send(ctx, replayed, kept)
	}
	s.Send(ctx, replayed, harness.Attempt{Principal: me, Vars: map[string]any{"amount": replayed.Amount + 1}})
	if err := malformedWhileOff(ctx, s); err != nil {
		return err
	}
	if err := s.SetFlag(ctx, flag, true); err != nil {
		return err
	}
	for range 2 {
		s.Send(ctx, refused, keyless)
		s.Send(ctx, replayed, kept) // a key of before the switch
	}
	for range 3 {
		s.Send(ctx, keyed, kept)
	}
	return nil
}

// malformedWhileOff sends keys that are wrong, twice each: who sends one meant to be
// protected, so that it is refused or protects, but never runs anew each time.
func malformedWhileOff(ctx context.Context, s *harness.Session) error {
	wanted := []string{"overlong", "empty", "two-equal-lines"}
	bad := slices.DeleteFunc(malformedKeys(s), func(b badKey) bool { return !slices.Contains(wanted, b.label) })
	return harness.Parallel(len(bad), func(i int) error {
		c, a := s.Case("off-malformed-"+bad[i].label), harness.Attempt{Principal: s.DefaultPrincipal(), Keys: bad[i].lines}
		s.Send(ctx, c, a)
		s.Send(ctx, c, a)
		return nil
	})
}

// The requests between the two readings of the metrics.
const (
	adoptedKeyless = 7
	adoptedKeyed   = 5
)

// flagAdoption counts who would be refused, before anybody is. It sends one
// request of each kind before the first reading: a series that is there already
// cannot be one of a customer who has not come yet.
func flagAdoption() harness.Scenario {
	return harness.Scenario{
		ID:        "flag/key-adoption",
		Title:     fmt.Sprintf("the flag is off: %d requests without a key and %d with one are counted, and neither key nor customer is a label", adoptedKeyless, adoptedKeyed),
		Needs:     harness.Needs{"checkout", "feature-flag", "require-key-flag", "metrics"},
		Exclusive: true,
		Drive:     driveAdoption,
		Checks: []harness.Check{
			answers("SRS-CHK-SEC.08", "keys-are-counted", check.KeysCounted(check.Labelled("counted-"))),
			invariant("I1", "at-most-once-effect", check.AtMostOnce(check.All())),
		},
	}
}

func driveAdoption(ctx context.Context, s *harness.Session) error {
	flag, err := s.Flag(harness.FlagRequireKey)
	if err != nil {
		return err
	}
	if err := s.SetFlag(ctx, flag, false); err != nil {
		return err
	}
	me := s.DefaultPrincipal()
	s.Send(ctx, s.Case("before-keyed"), harness.Attempt{Principal: me})
	s.Send(ctx, s.Case("before-keyless"), harness.Attempt{Principal: me, Keys: []string{}})
	if err := s.ReadMetrics(ctx, nil); err != nil {
		return err
	}
	customers := customers(s)
	for i := range adoptedKeyless + adoptedKeyed {
		a := harness.Attempt{Principal: customers[i%len(customers)], Keys: []string{}}
		label := fmt.Sprintf("counted-keyless-%d", i+1)
		if i >= adoptedKeyless {
			label = fmt.Sprintf("counted-keyed-%d", i+1)
			a.Keys = []string{s.Target().Dialect.KeyLine(fmt.Sprintf("%s-%d", s.Canary(harness.CanaryKey), i))}
		}
		s.Send(ctx, s.Case(label), a)
	}
	return s.ReadMetrics(ctx, nil)
}

// customers returns everybody who may buy.
func customers(s *harness.Session) []string {
	var names []string
	for _, p := range s.Target().Principals {
		if len(p.Roles) == 0 {
			names = append(names, p.Name)
		}
	}
	return names
}
