package scenarios

import (
	"context"
	"fmt"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/check"
)

// keyExact sends keys that are one key to whoever changes them before comparing.
func keyExact() harness.Scenario {
	return ownKeys("idempotency/key-exact", "SRS-CHK-001.08",
		"keys that differ in the case of a letter, an escape or quotes only, or of the longest kind in one character, are keys of their own", likeKeys)
}

// everyCharacter sends every character that a key may hold, at the start, in the
// middle and at the end of a key of its own.
func everyCharacter() harness.Scenario {
	return ownKeys("idempotency/key-alphabet", "SRS-CHK-001.55",
		"a key with any printable character at its start, in its middle and at its end is taken as it is, executed once and replayed", alphabetKeys)
}

// ownKeys makes a scenario of keys that are all different.
func ownKeys(id string, clause harness.ClauseID, title string, list func(d harness.Dialect, unique string) []goodKey) harness.Scenario {
	every := check.All()
	return harness.Scenario{
		ID:    id,
		Title: title,
		Needs: harness.Needs{"checkout", "effects"},
		Drive: func(ctx context.Context, s *harness.Session) error {
			d := s.Target().Dialect
			keys := list(d, randomKey(s, max(uniqueLength, d.KeyMin)))
			if check.KeysTooUniform(d) != "" {
				keys = []goodKey{{"uuid", ""}} // the others it would have to refuse
			}
			return harness.Parallel(keyCallers, func(caller int) error {
				for i := caller; i < len(keys); i += keyCallers {
					c, a := s.Case(keys[i].label), harness.Attempt{Principal: s.DefaultPrincipal()}
					if keys[i].key != "" {
						a.Keys = []string{d.KeyLine(keys[i].key)}
					}
					s.Send(ctx, c, a)
					s.Send(ctx, c, a)
				}
				return nil
			})
		},
		Checks: []harness.Check{
			answers(clause, "each-key-is-its-own", check.Unless(check.KeysTooUniform, wherever(list, check.EachKeyItsOwn(every)))),
			effects(clause, "one-effect-per-key", check.Unless(check.KeysTooUniform, check.EachSucceeded(every, check.EffectsMatchSuccesses(every)))),
			invariant("I1", "at-most-once-effect", check.AtMostOnce(every)),
		},
	}
}

// wherever asks for all keys of the list that the dialect of the history allows.
func wherever(list func(harness.Dialect, string) []goodKey, j judge) judge {
	return func(h *harness.History) harness.Verdict {
		var labels []string
		for _, k := range list(h.Header.Dialect, "unique") {
			labels = append(labels, k.label)
		}
		return check.WhereTried(labels, j)(h)
	}
}

// uniqueLength is how many random characters make a key that nobody used before,
// and leave room for what is tried.
const uniqueLength = 20

// goodKey is a key that has to be taken; an empty one is the case's own, a UUID.
type goodKey struct{ label, key string }

func likeKeys(d harness.Dialect, unique string) []goodKey {
	keys := []goodKey{
		{"lower", unique + "-k"}, {"upper", unique + "-K"},
		{"spaced", unique + " b"}, {"escaped", unique + "%20b"}, {"plus", unique + "+b"},
	}
	if d.KeySyntax != "either" { // where a leading quote begins a string, both are one key
		keys = append(keys, goodKey{"bare", unique}, goodKey{"quoted", `"` + unique + `"`})
	}
	if d.KeyMax > 0 { // else no length is promised
		keys = append(keys, longKeys(unique, d.KeyMax)...)
	}
	return keys
}

// longKeys are of one length and differ in one character each: at the end, which a
// column that is too narrow cuts off, at the start, which is lost where the tail is
// kept, and behind the middle, for where both ends are.
func longKeys(unique string, n int) []goodKey {
	base := strings.Repeat(unique, n/len(unique)+1)[:n]
	differing := func(at int) string {
		other := "a"
		if base[at] == other[0] {
			other = "b"
		}
		return base[:at] + other + base[at+1:]
	}
	return []goodKey{{"long", base}, {"long-last", differing(n - 1)}, {"long-middle", differing(n * 5 / 8)}, {"long-first", differing(0)}}
}

func alphabetKeys(d harness.Dialect, unique string) []goodKey {
	keys := []goodKey{
		{"none-of-them", unique}, // what is left where a character is dropped
		{"inner-space", unique + " x"}, {"uuid", ""},
		{"letter-a", unique + "A"}, {"escaped-a", unique + "%41"},
	}
	for c := byte(0x21); c < 0x7f; c++ {
		if c == '"' && d.KeySyntax == "either" {
			continue // it would begin a string
		}
		one := string([]byte{c})
		keys = append(keys, goodKey{fmt.Sprintf("char-%02x", c), one + unique[:len(unique)/2] + one + unique[len(unique)/2:] + one})
	}
	return keys
}
