package scenarios

import "github.com/oncecheck/oncecheck/harness"

// badKey is one way to get the idempotency header wrong.
type badKey struct {
	label string
	lines []string // sent byte for byte
}

// malformedKeys returns every way that the dialect's syntax knows, and some that
// it may allow: which of them are malformed is for the judge to say.
func malformedKeys(s *harness.Session) []badKey {
	d := s.Target().Dialect
	good := s.Key("malformed")
	one := func(label, key string) badKey { return badKey{label, []string{d.KeyLine(key)}} }
	bad := []badKey{
		one("control-character", good+"\x01x"),
		one("tab", good+"\tx"),
		one("delete", good+"\x7fx"),
		one("latin-1", good+"\xe9x"),
		one("utf-8", good+"ключ"),
		one("empty", ""),
	}
	if d.KeyMax > 0 {
		bad = append(bad, one("overlong", unusedKey(s, "too-long", d.KeyMax+1)))
	}
	if d.KeySyntax == "structured" {
		// Of a quoted string spaces are a part, so the blank one is no case here.
		bad = append(bad, []badKey{
			{"unquoted", []string{good}}, {"unclosed", []string{`"` + good}}, {"unopened", []string{good + `"`}},
			{"two-strings", []string{`"` + good + `" "x"`}}, {"bad-escape", []string{`"` + good + `\x"`}},
			{"number", []string{"42"}}, {"nothing", []string{""}},
		}...)
	} else {
		bad = append(bad, one("blank", "   "))
	}
	return append(bad, twoLines(s, good)...)
}

// twoLines repeats the header. The cases share a key, so that a server that
// takes one of the lines shows; where the first is meant to count, each case has
// a key of its own.
func twoLines(s *harness.Session, good string) []badKey {
	d := s.Target().Dialect
	first := good
	if d.DuplicateHeader == "first" {
		first = s.Key("malformed-1")
	}
	return []badKey{
		{"two-equal-lines", []string{d.KeyLine(good), d.KeyLine(good)}},
		{"two-different-lines", []string{d.KeyLine(first), d.KeyLine(s.Key("malformed-2"))}},
	}
}
