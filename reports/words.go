package reports

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/oncecheck/oncecheck/harness"
)

// oneLine makes text from a target safe for a place that holds one line: line
// breaks become spaces, and control and direction characters, which could
// repaint a terminal or reorder a sentence, become visible replacements.
func oneLine(s string) string {
	return strings.Join(strings.Fields(printable(s)), " ")
}

// printable replaces what cannot be shown and keeps line breaks and tabs. The
// result is also valid XML character data.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == 0xFFFE, r == 0xFFFF:
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// shorten cuts s to at most n characters and says so with an ellipsis.
func shorten(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return strings.TrimSpace(string(r[:n-1])) + "…"
}

// plural returns "1 clause" or "2 clauses".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// icon is the sign of a verdict, so that colour is never the only one.
func icon(o harness.Outcome) string {
	switch o {
	case harness.Pass:
		return "✓"
	case harness.Fail:
		return "✗"
	case harness.NotVerified:
		return "–"
	case harness.NotApplicable:
		return "∅"
	}
	return "?"
}

// headline says the result in one sentence. The counts that must never be
// overlooked come always, the others only if there is something to count.
func headline(e harness.Evidence) string {
	t := e.Totals
	failed := fmt.Sprintf("%d failed", t.Fail)
	if t.Known > 0 {
		failed += fmt.Sprintf(" (%d known)", t.Known)
	}
	s := fmt.Sprintf("%d of %s proven, %s, %d not verified",
		t.Pass, plural(t.Pass+t.Fail+t.Inconclusive+t.NotVerified+t.NotApplicable, "clause"), failed, t.NotVerified)
	if t.Inconclusive > 0 {
		s += fmt.Sprintf(", %d inconclusive", t.Inconclusive)
	}
	if t.NotApplicable > 0 {
		s += fmt.Sprintf(", %d not applicable", t.NotApplicable)
	}
	if whole := passedWhole(e); t.Pass == 0 && whole > 0 {
		s += fmt.Sprintf("; %s passed, and no clause rests on that alone", plural(whole, "scenario"))
	}
	if broken := brokenInvariants(e); len(broken) > 0 {
		s += "; broken: " + strings.Join(broken, ", ")
	}
	return s
}

func passedWhole(e harness.Evidence) int {
	n := 0
	for _, s := range e.Scenarios {
		if s.Verdict == harness.Pass {
			n++
		}
	}
	return n
}

func brokenInvariants(e harness.Evidence) []string {
	var ids []string
	for _, i := range e.Invariants {
		if i.Verdict == harness.Fail {
			ids = append(ids, i.ID)
		}
	}
	return ids
}

// standing is the result in two words. It never says "passed": a run proves
// clauses, not a system.
func standing(e harness.Evidence) (words string, tone harness.Outcome) {
	worst, known := harness.NotVerified, false
	note := func(o harness.Outcome, k *harness.Known) {
		switch {
		case o == harness.Fail && k != nil:
			known = true
		case o == harness.Fail, worst == harness.Fail:
			worst = harness.Fail
		case o == harness.Inconclusive:
			worst = harness.Inconclusive
		case o == harness.Pass && worst == harness.NotVerified:
			worst = harness.Pass
		}
	}
	for _, c := range e.Clauses {
		note(c.Verdict, c.Known)
		for _, check := range c.Checks {
			if c.Known != nil && check.Verdict == harness.Inconclusive {
				note(check.Verdict, nil) // it does not hide behind the known failure
			}
		}
	}
	for _, i := range e.Invariants {
		note(i.Verdict, i.Known)
	}
	for _, n := range e.NFRs {
		note(n.Verdict, n.Known)
	}
	for _, k := range e.Known {
		if k.Counts {
			note(harness.Fail, nil)
		}
	}
	if (e.Run.Control.Outcome != harness.Pass || len(e.Run.Unusable())+len(e.Run.Unmet()) > 0) && worst != harness.Fail {
		worst = harness.Inconclusive
	}
	switch worst {
	case harness.Fail:
		return "Failures found", worst
	case harness.Inconclusive:
		return "Inconclusive", worst
	}
	if known {
		return "Only known failures", harness.Fail // accepted for now, which is not the same as right
	}
	if worst == harness.Pass && e.Proved() {
		return "Nothing failed", worst
	}
	return "Nothing was proven", harness.NotVerified
}
