package scenarios

import (
	"context"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// keyName sends one key under its header's name in every case of letters. A second
// case sends, beside the key, another one each time under the name that the header
// had before it was standardised: that is not the header.
func keyName() harness.Scenario {
	every, spelt := check.All(), check.Labelled("spelt")
	return harness.Scenario{
		ID:    "idempotency/key-name",
		Title: "one key under four spellings of its header's name is one key, whatever another header says",
		Needs: harness.Needs{"checkout", "effects"},
		Drive: driveKeyName,
		Checks: []harness.Check{
			answers("SRS-CHK-001.02", "any-case-of-the-name", check.Literally(check.HeaderSpelling, check.AnySpelling(spelt, len(spellings(""))))),
			answers("SRS-CHK-001.02", "no-other-header-counts", check.Literally(check.HeaderSpelling, check.KeyProtects(check.Labelled("beside"), 2))),
			effects("SRS-CHK-001.02", "one-effect-per-key", check.EachSucceeded(every, check.EffectsMatchSuccesses(every))),
			invariant("I1", "at-most-once-effect", check.AtMostOnce(every)),
		},
	}
}

// spellings returns ways to write a header's name, the usual one first.
func spellings(name string) []string {
	mixed := []byte(strings.ToLower(name))
	for i := 1; i < len(mixed); i += 2 {
		mixed[i] = strings.ToUpper(string(mixed[i]))[0]
	}
	return []string{name, strings.ToLower(name), strings.ToUpper(name), string(mixed)}
}

func driveKeyName(ctx context.Context, s *harness.Session) error {
	me, header := s.DefaultPrincipal(), s.Target().Dialect.Header
	spelt, beside := s.Case("spelt"), s.Case("beside")
	for _, name := range spellings(header) {
		s.Send(ctx, spelt, harness.Attempt{Principal: me, KeyName: name})
	}
	for _, other := range []string{"a", "b", "c"} {
		s.Send(ctx, beside, harness.Attempt{Principal: me, Header: map[string]string{"X-" + header: s.Key(other)}})
	}
	return nil
}
