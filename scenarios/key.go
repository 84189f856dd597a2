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
	return harness.Scenario{
		ID:    "idempotency/key-length",
		Title: "keys of the shortest and the longest length work",
		Needs: harness.Needs{"checkout"},
		Drive: driveKeyLength,
		Checks: []harness.Check{
			answers("SRS-CHK-001.03", "shortest-key-works", check.Unless(check.BoundsUnproven, check.TakesKeysAsRequired(check.ExecutesAndReplays(check.Labelled("shortest"))))),
			answers("SRS-CHK-001.03", "longest-key-works", check.Unless(check.BoundsUnproven, check.TakesKeysAsRequired(check.ExecutesAndReplays(check.Labelled("longest"))))),
			effects("SRS-CHK-001.03", "one-effect-per-key", check.EffectsMatchSuccesses(check.Labelled("shortest", "longest"))),
			invariant("I1", "at-most-once-effect", check.AtMostOnce(check.All())),
		},
	}
}

func keyOverlong() harness.Scenario {
	return harness.Scenario{
		ID:    "idempotency/key-overlong",
		Title: "keys of one character too many are refused, not cut off",
		Needs: harness.Needs{"checkout"},
		Drive: driveKeyOverlong,
		Checks: []harness.Check{
			answers("SRS-CHK-001.04", "overlong-key-refused", check.Unless(check.OverlongUnnamed, check.RefusesKeysAsRequired(check.Literally(check.MalformedSpelling, check.Malformed(check.All()))))),
			effects("SRS-CHK-001.04", "overlong-key-has-no-effect", check.EffectsMatchSuccesses(check.All())),
			invariant("I3", "refused-has-no-effect", check.NothingLeftBehind(check.All())),
		},
	}
}

// driveKeyOverlong sends two keys that differ only beyond the limit: a server
// that cuts them off would take the second for a replay of the first.
func driveKeyOverlong(ctx context.Context, s *harness.Session) error {
	d := s.Target().Dialect
	n := longestKey(d)
	prefix := unusedKey(s, "overlong", n)
	for _, last := range []string{"a", "b"} {
		s.Send(ctx, s.Case("overlong-"+last), harness.Attempt{Principal: s.DefaultPrincipal(), Keys: []string{d.KeyLine(prefix + last)}})
	}
	return nil
}

func longestKey(d harness.Dialect) int {
	if d.KeyMax == 0 {
		return longestTried
	}
	return d.KeyMax
}

// longestTried is the length of the longest key sent where the dialect names no
// bound: nothing is promised of it, but its effects must be right all the same.
const longestTried = 255

func driveKeyLength(ctx context.Context, s *harness.Session) error {
	d := s.Target().Dialect
	longestLength := longestKey(d)
	if d.KeyMin < 1 || longestLength < d.KeyMin {
		return fmt.Errorf("the dialect declares no key length (keyMin %d, keyMax %d)", d.KeyMin, d.KeyMax)
	}
	me := s.DefaultPrincipal()
	if err := shortestKey(ctx, s, me); err != nil {
		return err
	}
	longest := s.Case("longest")
	line := d.KeyLine(unusedKey(s, "longest", longestLength))
	for range 2 {
		s.Send(ctx, longest, harness.Attempt{Principal: me, Keys: []string{line}})
	}
	return nil
}

// shortestKey finds a key of the minimal length that nobody used within the
// target's retention: there may be only 94 of them, and earlier runs leave
// theirs behind. A key that was used shows as a mismatch and is passed over;
// where a mismatch does not show, only a longer key is known to be unused.
func shortestKey(ctx context.Context, s *harness.Session, me string) error {
	d := s.Target().Dialect
	for i := range 40 {
		label := fmt.Sprintf("shortest-%d", i+1)
		key := randomKey(s, d.KeyMin)
		if d.KeyMin >= uuidLength || check.BoundsUnproven(d) != "" {
			key = unusedKey(s, label, max(d.KeyMin, uuidLength))
		}
		c, a := s.Case(label), harness.Attempt{Principal: me, Keys: []string{d.KeyLine(key)}}
		if r := s.Send(ctx, c, a); r.Err == nil && d.Mismatch.Matches(r.Answer) {
			continue
		}
		s.Send(ctx, c, a)
		return nil
	}
	return fmt.Errorf("40 keys of the minimal length %d were all in use", d.KeyMin)
}

// uuidLength is the length of the keys that [harness.Session.Key] makes.
const uuidLength = 36

// unusedKey returns a key of exactly n characters that begins with a value
// unique to the run; below [uuidLength] it is only as unique as n allows.
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
		Title: "a checkout without an idempotency key, or with one under another name, is refused before anything is called",
		Needs: harness.Needs{"checkout", "effects|dependencies"},
		Drive: driveKeyMissing,
		Checks: []harness.Check{
			answers("SRS-CHK-001.09", "missing-key-refused", check.Literally(check.MissingSpelling, check.MissingKey(check.All()))),
			supplement(effects("SRS-CHK-001.09", "missing-key-has-no-effect", check.Unless(check.KeyOptional, check.NoEffect(check.All())))),
			invariant("I3", "refused-has-no-effect", check.NothingLeftBehind(check.All())),
		},
	}
}

func driveKeyMissing(ctx context.Context, s *harness.Session) error {
	without := harness.Attempt{Principal: s.DefaultPrincipal(), Keys: []string{}}
	s.Send(ctx, s.Case("missing"), without)
	if other := "X-Idempotency-Key"; !strings.EqualFold(s.Target().Dialect.Header, other) {
		without.Header = map[string]string{other: s.Key("under another name")}
		s.Send(ctx, s.Case("missing-but-for-x"), without)
	}
	return nil
}

func keyMalformed() harness.Scenario {
	return harness.Scenario{
		ID:    "idempotency/key-malformed",
		Title: "every kind of malformed key is refused before anything is called, and the same body with a good key then works",
		Needs: harness.Needs{"checkout", "effects|dependencies"},
		Drive: driveKeyMalformed,
		Checks: []harness.Check{
			answers("SRS-CHK-001.10", "malformed-key-refused", check.Literally(check.MalformedSpelling, check.Malformed(check.All()))),
			answers("SRS-CHK-001.10", "good-key-then-executes", check.GoodKeyExecutes(check.All())),
			supplement(effects("SRS-CHK-001.10", "malformed-key-has-no-effect", check.EffectsMatchSuccesses(check.All()))),
			invariant("I3", "refused-has-no-effect", check.NothingLeftBehind(check.All())),
		},
	}
}

func driveKeyMalformed(ctx context.Context, s *harness.Session) error {
	bad := malformedKeys(s)
	return harness.Parallel(len(bad), func(i int) error {
		c := s.Case(bad[i].label)
		me := s.DefaultPrincipal()
		s.Send(ctx, c, harness.Attempt{Principal: me, Keys: bad[i].lines})
		s.Send(ctx, c, harness.Attempt{Principal: me})
		return nil
	})
}
