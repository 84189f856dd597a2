package reports

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// Markdown renders report.md for a pull request or a job summary: the failures
// in full, everything else as tables, and what was not proven folded away but
// complete.
func Markdown(w io.Writer, e harness.Evidence) error {
	var m markdown
	m.head(e)
	m.findings("Failures", findings(e, harness.Fail), e)
	m.findings("Inconclusive", findings(e, harness.Inconclusive), e)
	m.findings("Known failures", knownFindings(e), e)
	m.known(e.Known)
	m.invariants(e.Invariants)
	m.effects(e.Effects)
	m.thresholds(e.NFRs)
	m.cards(cards(e))
	m.gaps(e)
	if _, err := m.WriteTo(w); err != nil {
		return fmt.Errorf("write Markdown: %w", err)
	}
	return nil
}

type markdown struct{ bytes.Buffer }

func (m *markdown) printf(format string, args ...any) { fmt.Fprintf(m, format, args...) }

func (m *markdown) table(head ...string) {
	m.printf("\n| %s |\n|%s\n", strings.Join(head, " | "), strings.Repeat(" --- |", len(head)))
}

func (m *markdown) row(cells ...string) { m.printf("| %s |\n", strings.Join(cells, " | ")) }

func (m *markdown) head(e harness.Evidence) {
	words, tone := standing(e)
	m.printf("# %s %s: %s\n\n%s.\n", icon(tone), words, mdText(e.Target.Name), mdText(headline(e)))
	m.table("target", "dialect", "run", "lane", "seed", "suite", "positive control")
	m.row(mdText(strings.TrimSpace(e.Target.Name+" "+e.Target.Version)), mdText(e.Target.Dialect.Name), mdCode(e.Run.ID), mdText(e.Run.Lane),
		mdCode(strconv.FormatUint(e.Run.Seed, 10)), mdText(e.Run.Suite.Version),
		mdText(verdictText(e.Run.Control.Outcome)+": "+e.Run.Control.Reason))
	for _, p := range e.Run.Unusable() {
		m.printf("\n? principal %s does not work: %s\n", mdText(p.Name), mdText(p.Reason))
	}
	for _, c := range e.Run.Unmet() {
		m.printf("\n? claim %s does not hold: %s\n", mdText(c.Name), mdText(c.Reason))
	}
	for _, next := range e.Run.ControlNext {
		m.printf("\n→ check %s\n", mdText(next))
	}
	for _, h := range e.Run.Hints {
		m.printf("\n· %s; %s\n", mdText(h.Text), mdText(h.Next))
	}
	m.fence(e.Run.Repeat)
	m.table("✓ pass", "✗ fail", "? inconclusive", "– not verified", "∅ not applicable")
	t := e.Totals
	m.row(strconv.Itoa(t.Pass), strconv.Itoa(t.Fail), strconv.Itoa(t.Inconclusive), strconv.Itoa(t.NotVerified), strconv.Itoa(t.NotApplicable))
}

func (m *markdown) findings(title string, list []finding, e harness.Evidence) {
	if len(list) == 0 {
		return
	}
	m.printf("\n## %s\n", title)
	for _, f := range list {
		m.printf("\n### %s %s\n\n", icon(f.Verdict), mdText(findingTitle(f)))
		for i, c := range f.Clauses {
			if i == maxNamedClauses {
				m.printf("- and %s more\n", plural(len(f.Clauses)-i, "clause"))
				break
			}
			m.printf("- %s %s\n", mdCode(string(c.ID)), mdText(c.Title))
		}
		for _, i := range f.Invariants {
			m.printf("- %s %s\n", mdCode(i.ID), mdText(i.Title))
		}
		m.printf("\n")
		if f.Expected != "" || f.Observed != "" {
			m.printf("**Expected** %s  \n**Observed** %s\n\n", mdText(f.Expected), mdText(f.Observed))
		} else {
			m.printf("%s\n\n", mdText(f.Reason))
		}
		if f.Known != nil {
			m.printf("- known: %s\n", mdText(knownText(*f.Known)))
		}
		for _, fault := range f.Faults {
			m.printf("- fault %s\n", mdCode(fault))
		}
		m.printf("- seed %s\n", mdCode(strconv.FormatUint(e.Run.Seed, 10)))
		if f.Scenario.History != "" {
			m.printf("- history %s\n", mdCode(f.Scenario.History))
		}
		for _, w := range f.Witness {
			m.printf("- witness #%d: %s\n", w.Seq, mdText(w.Text))
		}
		m.fence(f.Repeat)
	}
}

// known lists the known failures that did not fail as they should.
func (m *markdown) known(list []harness.KnownResult) {
	told := knownTold(list)
	if len(told) == 0 {
		return
	}
	m.printf("\n## List of known failures\n\n")
	for _, k := range told {
		m.printf("- %s %s\n", icon(knownTone(k)), mdText(k.Text))
	}
}

// maxNamedClauses bounds the clauses that one finding lists where space is
// short; the tables have them all.
const maxNamedClauses = 8

func findingTitle(f finding) string {
	switch {
	case f.Scenario.ID == "" && len(f.Checks) == 0:
		return plural(len(f.Clauses)+len(f.Invariants), "verdict") + " without an experiment behind it"
	case f.Scenario.ID == "":
		return strings.Join(f.Checks, ", ")
	case len(f.Checks) > 3:
		return plural(len(f.Checks), "check") + " in " + f.Scenario.ID
	}
	return strings.Join(f.Checks, ", ") + " in " + f.Scenario.ID
}

func (m *markdown) invariants(list []harness.InvariantResult) {
	if len(list) == 0 {
		return
	}
	m.printf("\n## Invariants\n")
	m.table("", "verdict", "invariant", "reason")
	for _, i := range list {
		m.row(mdText(i.ID), verdictText(i.Verdict), mdText(i.Title), mdText(i.Reason))
	}
}

func (m *markdown) effects(effects map[string]harness.EffectTotals) {
	if len(effects) == 0 {
		return
	}
	m.printf("\n## Effects\n")
	m.table("kind", "expected", "observed", "duplicates", "orphans")
	for _, kind := range slices.Sorted(maps.Keys(effects)) {
		t := effects[kind]
		m.row(mdText(kind), strconv.Itoa(t.Expected), strconv.Itoa(t.Observed), strconv.Itoa(t.Duplicates), strconv.Itoa(t.Orphans))
	}
}

func (m *markdown) thresholds(list []harness.NFRResult) {
	if len(list) == 0 {
		return
	}
	m.printf("\n## Thresholds\n")
	m.table("id", "verdict", "claim", "measured")
	for _, n := range list {
		m.row(mdCode(n.ID), verdictText(n.Verdict), mdText(n.Claim), mdText(thresholdText(n)))
	}
}

func (m *markdown) cards(list []card) {
	m.printf("\n## Clauses by card\n")
	m.table("card", "clauses", "✓", "✗", "?", "–", "∅")
	for _, c := range list {
		t := c.Totals
		m.row(mdText(c.Name), strconv.Itoa(len(c.Clauses)), strconv.Itoa(t.Pass), strconv.Itoa(t.Fail),
			strconv.Itoa(t.Inconclusive), strconv.Itoa(t.NotVerified), strconv.Itoa(t.NotApplicable))
	}
	for _, c := range list {
		if len(c.Clauses) == c.Totals.NotVerified {
			continue
		}
		m.printf("\n<details><summary>%s: what was judged</summary>\n", mdText(c.Name))
		m.table("clause", "verdict", "title", "reason")
		for _, clause := range c.Clauses {
			if clause.Verdict != harness.NotVerified {
				m.row(mdCode(string(clause.ID)), verdictText(clause.Verdict), mdText(clause.Title), mdText(clause.Reason))
			}
		}
		m.printf("\n</details>\n")
	}
}

func (m *markdown) gaps(e harness.Evidence) {
	if len(e.NotProven) == 0 {
		return
	}
	m.printf("\n## Not proven\n\n<details><summary>%s, by reason</summary>\n", plural(len(e.NotProven), "clause"))
	for _, g := range gaps(e) {
		m.printf("\n**%d × %s**\n\n", len(g.Clauses), mdText(g.Why))
		for i, id := range g.Clauses {
			if i > 0 {
				m.printf(" ")
			}
			m.printf("%s", mdCode(string(id)))
		}
		m.printf("\n")
	}
	m.printf("\n</details>\n")
}

// fence writes a command as a block of its own, with a fence longer than any
// run of backticks in it.
func (m *markdown) fence(command string) {
	if command == "" {
		return
	}
	ticks := strings.Repeat("`", max(3, longestTicks(command)+1))
	m.printf("\n%s\n%s\n%s\n", ticks, oneLine(command), ticks)
}

func verdictText(o harness.Outcome) string { return icon(o) + " " + o.String() }

// mdText escapes text for Markdown, tables included. Angle brackets and
// ampersands become entities, so that nothing can turn into HTML.
func mdText(s string) string {
	var b strings.Builder
	for _, r := range oneLine(s) {
		switch r {
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '&':
			b.WriteString("&amp;")
		case '\\', '`', '*', '_', '[', ']', '|', '#', '~', '$', '@':
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// mdCode returns s as inline code that also survives in a table.
func mdCode(s string) string {
	s = strings.ReplaceAll(oneLine(s), "|", `\|`)
	if s == "" {
		return ""
	}
	n := longestTicks(s)
	if n == 0 {
		return "`" + s + "`"
	}
	ticks := strings.Repeat("`", n+1)
	return ticks + " " + s + " " + ticks
}

func longestTicks(s string) int {
	longest, run := 0, 0
	for _, r := range s {
		if r != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}
