package scenarios

import (
	"context"
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// keyNotASCII tries every byte that no key may hold, one a case, in the middle of
// a key that is good without it. A carriage return and a line feed would end the
// header line: no key can hold them.
func keyNotASCII() harness.Scenario {
	return keyRefused("idempotency/key-not-ascii", "SRS-CHK-001.05",
		"a key with any control character, any byte above ASCII, or letters of other scripts is refused before anything is called",
		check.MalformedUnnamed, notASCII)
}

// keyEmpty tries keys in which there is nothing.
func keyEmpty() harness.Scenario {
	return keyRefused("idempotency/key-empty", "SRS-CHK-001.06",
		"a key of nothing, or of spaces only, is refused and not taken for none", check.BlankIsNone,
		func(harness.Dialect, string) []badKey {
			return []badKey{{"empty", []string{""}}, {"one-space", []string{" "}}, {"spaces", []string{"     "}}}
		})
}

// keyTwoLines tries two header lines, of which no server can know which is meant.
func keyTwoLines() harness.Scenario {
	return keyRefused("idempotency/key-two-lines", "SRS-CHK-001.07",
		"two lines with a key, equal or different, are refused before anything is called", check.FirstLineCounts,
		func(d harness.Dialect, good string) []badKey {
			return []badKey{{"equal", []string{d.KeyLine(good), d.KeyLine(good)}}, {"different", []string{d.KeyLine(good), d.KeyLine(good + "2")}}}
		})
}

// keyRefused makes a scenario of keys that have to be refused, one a case.
func keyRefused(id string, clause harness.ClauseID, title string, excluded check.Exclusion, bad func(d harness.Dialect, good string) []badKey) harness.Scenario {
	every := check.All()
	var labels []string
	for _, b := range bad(harness.Dialect{}, "") {
		labels = append(labels, b.label)
	}
	return harness.Scenario{
		ID:    id,
		Title: title,
		Needs: harness.Needs{"checkout", "effects"},
		Drive: func(ctx context.Context, s *harness.Session) error {
			cases := bad(s.Target().Dialect, s.Key("refused"))
			return harness.Parallel(keyCallers, func(caller int) error {
				for i := caller; i < len(cases); i += keyCallers {
					s.Send(ctx, s.Case(cases[i].label), harness.Attempt{Principal: s.DefaultPrincipal(), Keys: cases[i].lines})
				}
				return nil
			})
		},
		Checks: []harness.Check{
			answers(clause, "refused", check.Literally(check.MalformedSpelling, check.Unless(excluded, check.WhereTried(labels, check.Malformed(every))))),
			effects(clause, "no-effect", check.Unless(excluded, check.NothingLeftBehind(every))),
			invariant("I3", "refused-has-no-effect", check.NothingLeftBehind(every)),
		},
	}
}

// keyCallers try the keys of a list side by side.
const keyCallers = 8

func notASCII(d harness.Dialect, good string) []badKey {
	var bad []badKey
	for b := range 256 {
		if b >= 0x20 && b < 0x7f || b == '\r' || b == '\n' {
			continue
		}
		bad = append(bad, badKey{fmt.Sprintf("byte-%02x", b), []string{d.KeyLine(good[:len(good)/2] + string([]byte{byte(b)}) + good[len(good)/2:])}})
	}
	for _, letter := range [][2]string{{"cyrillic", "ключ"}, {"composed", "\u00e9"}, {"decomposed", "e\u0301"}, {"full-width", "\uff21"}, {"emoji", "\U0001f511"}, {"no-break-space", "\u00a0"}} {
		bad = append(bad, badKey{"utf-8-" + letter[0], []string{d.KeyLine(good + letter[1] + "x")}})
	}
	return bad
}
