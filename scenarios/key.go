package scenarios

import (
	"context"
	"fmt"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// keyAlphabet is printable ASCII without the characters that header syntaxes
// fight over; the full alphabet has a scenario of its own.
const keyAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

func randomKey(s *harness.Session, n int) string {
	var b strings.Builder
	for range n {
		b.WriteByte(keyAlphabet[s.Rand().IntN(len(keyAlphabet))])
	}
	return b.String()
}

func keyLength() harness.Scenario {
	overlong := check.Labelled("overlong")
	return harness.Scenario{
		ID:    "idempotency/key-length",
		Title: "keys of the shortest and the longest length work; one character more is refused, not cut off",
		Needs: harness.Needs{"checkout"},
		Drive: driveKeyLength,
		Checks: []harness.Check{
			answers("SRS-CHK-001.03", "shortest-key-works", check.ExecutesAndReplays(check.Labelled("shortest"))),
			answers("SRS-CHK-001.03", "longest-key-works", check.ExecutesAndReplays(check.Labelled("longest"))),
			effects("SRS-CHK-001.03", "one-effect-per-key", check.EffectsMatchSuccesses(check.Labelled("shortest", "longest"))),
			answers("SRS-CHK-001.04", "overlong-key-refused", check.Malformed(overlong)),
			effects("SRS-CHK-001.04", "overlong-key-has-no-effect", check.EffectsMatchSuccesses(overlong)),
			invariant("I3", "refused-has-no-effect", check.EffectsMatchSuccesses(overlong)),
		},
	}
}

func driveKeyLength(ctx context.Context, s *harness.Session) error {
	d := s.Target().Dialect
	if d.KeyMin < 1 || d.KeyMax < d.KeyMin {
		return fmt.Errorf("the dialect declares no key length (keyMin %d, keyMax %d)", d.KeyMin, d.KeyMax)
	}
	me := s.DefaultPrincipal()
	if err := shortestKey(ctx, s, me); err != nil {
		return err
	}
	longest := s.Case("longest")
	key := unusedKey(s, "longest", d.KeyMax)
	for range 2 {
		s.Send(ctx, longest, harness.Attempt{Principal: me, Keys: []string{key}})
	}
	// Two keys that differ only beyond the limit: a server that cuts them off
	// would take the second for a replay of the first.
	prefix := unusedKey(s, "overlong", d.KeyMax)
	for _, last := range []string{"a", "b"} {
		s.Send(ctx, s.Case("overlong-"+last), harness.Attempt{Principal: me, Keys: []string{prefix + last}})
	}
	return nil
}

// shortestKey finds a key of the minimal length that nobody used within the
// target's retention: there may be only 94 of them, and earlier runs leave
// theirs behind. A key that was used shows as a mismatch and is passed over.
func shortestKey(ctx context.Context, s *harness.Session, me string) error {
	for i := range 40 {
		c := s.Case(fmt.Sprintf("shortest-%d", i+1))
		key := randomKey(s, s.Target().Dialect.KeyMin)
		r := s.Send(ctx, c, harness.Attempt{Principal: me, Keys: []string{key}})
		if r.Class == harness.ClassMismatch {
			continue
		}
		s.Send(ctx, c, harness.Attempt{Principal: me, Keys: []string{key}})
		return nil
	}
	return fmt.Errorf("40 keys of the minimal length %d were all in use", s.Target().Dialect.KeyMin)
}

// unusedKey returns a key of exactly n characters that begins with a value
// unique to the run; below 36 characters it is only as unique as n allows.
func unusedKey(s *harness.Session, label string, n int) string {
	key := s.Key(label)
	if len(key) < n {
		key += randomKey(s, n-len(key))
	}
	return key[:n]
}

func keyMissing() harness.Scenario {
	return harness.Scenario{
		ID:    "idempotency/key-missing",
		Title: "a checkout without an idempotency key is refused before anything is called",
		Needs: harness.Needs{"checkout", "effects|dependencies"},
		Drive: func(ctx context.Context, s *harness.Session) error {
			s.Send(ctx, s.Case("missing"), harness.Attempt{Principal: s.DefaultPrincipal(), Keys: []string{}})
			return nil
		},
		Checks: []harness.Check{
			answers("SRS-CHK-001.09", "missing-key-refused", check.MissingKey(check.All())),
			supplement(effects("SRS-CHK-001.09", "missing-key-has-no-effect", check.NoEffect(check.All()))),
			invariant("I3", "refused-has-no-effect", check.EffectsMatchSuccesses(check.All())),
		},
	}
}

func keyMalformed() harness.Scenario {
	return harness.Scenario{
		ID:    "idempotency/key-malformed",
		Title: "every kind of malformed key is refused before anything is called, and the same body with a good key then works",
		Needs: harness.Needs{"checkout", "effects|dependencies"},
		Drive: driveKeyMalformed,
		Checks: []harness.Check{
			answers("SRS-CHK-001.10", "malformed-key-refused", check.Malformed(check.All())),
			answers("SRS-CHK-001.10", "good-key-then-executes", check.GoodKeyExecutes(check.All())),
			supplement(effects("SRS-CHK-001.10", "malformed-key-has-no-effect", check.EffectsMatchSuccesses(check.All()))),
			invariant("I3", "refused-has-no-effect", check.EffectsMatchSuccesses(check.All())),
		},
	}
}

func driveKeyMalformed(ctx context.Context, s *harness.Session) error {
	good := s.Key("malformed")
	bad := []struct {
		label string
		keys  []string
	}{
		{"overlong", []string{unusedKey(s, "too-long", s.Target().Dialect.KeyMax+1)}},
		{"control-character", []string{good + "\x01x"}},
		{"tab", []string{good + "\tx"}},
		{"delete", []string{good + "\x7fx"}},
		{"latin-1", []string{good + "\xe9x"}},
		{"utf-8", []string{good + "ключ"}},
		{"empty", []string{""}},
		{"blank", []string{"   "}},
		{"two-equal-lines", []string{good, good}},
		{"two-different-lines", []string{good, s.Key("malformed-2")}},
	}
	return harness.Parallel(len(bad), func(i int) error {
		c := s.Case(bad[i].label)
		me := s.DefaultPrincipal()
		s.Send(ctx, c, harness.Attempt{Principal: me, Keys: bad[i].keys})
		s.Send(ctx, c, harness.Attempt{Principal: me})
		return nil
	})
}
