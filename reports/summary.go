package reports

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// Summary writes what a terminal shows at the end of a run: the totals, every
// failure and everything inconclusive with what is needed to repeat it, the
// main reasons for what was not verified, and where the report lies. An empty
// dir leaves that line out. Without color there is not one escape sequence in
// it, whatever the target sent.
func Summary(w io.Writer, e harness.Evidence, dir string, color bool) error {
	s := summary{color: color}
	for _, f := range findings(e, harness.Fail) {
		s.finding(f, e.Run.Seed)
	}
	for _, f := range findings(e, harness.Inconclusive) {
		s.finding(f, e.Run.Seed)
	}
	s.known(e)
	if c := e.Run.Control; c.Outcome != harness.Pass {
		s.line(s.paint(c.Outcome, icon(c.Outcome)+" positive control "+c.Outcome.String())+": "+oneLine(c.Reason), "")
	}
	for _, p := range e.Run.Unusable() {
		s.line(s.paint(harness.Inconclusive, icon(harness.Inconclusive)+" principal "+oneLine(p.Name)+" does not work")+": "+oneLine(p.Reason), "")
	}
	for _, c := range e.Run.Unmet() {
		s.line(s.paint(harness.Inconclusive, icon(harness.Inconclusive)+" claim "+oneLine(c.Name)+" does not hold")+": "+oneLine(c.Reason), "")
	}
	s.thresholds(e)
	s.notApplicable(e)
	s.notVerified(e)
	words, tone := standing(e)
	s.line(s.paint(tone, icon(tone)+" "+words)+": "+oneLine(headline(e)), "")
	s.whyNothing(e)
	s.line(fmt.Sprintf("target %s, dialect %s, run %s, seed %d", oneLine(e.Target.Name), oneLine(e.Target.Dialect.Name), oneLine(e.Run.ID), e.Run.Seed), "  ")
	if e.Run.Repeat != "" {
		s.line("repeat  "+oneLine(e.Run.Repeat), "  ")
	}
	if dir != "" {
		s.line("report  "+filepath.Join(dir, "report.html"), "  ")
	}
	if _, err := s.WriteTo(w); err != nil {
		return fmt.Errorf("write the summary: %w", err)
	}
	return nil
}

type summary struct {
	bytes.Buffer
	color bool
}

func (s *summary) line(text, indent string) { s.WriteString(indent + text + "\n") }

func (s *summary) field(name, value string) {
	if value != "" {
		s.line(fmt.Sprintf("%-9s %s", name, oneLine(value)), "    ")
	}
}

// paint colours a verdict's words, in addition to their sign.
func (s *summary) paint(o harness.Outcome, text string) string {
	if !s.color {
		return text
	}
	code := "33" // yellow
	switch o {
	case harness.Pass:
		code = "32"
	case harness.Fail:
		code = "1;31"
	case harness.NotVerified, harness.NotApplicable:
		code = "2"
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s *summary) finding(f finding, seed uint64) {
	s.line(s.paint(f.Verdict, icon(f.Verdict)+" "+f.Verdict.String())+"  "+oneLine(findingTitle(f)), "")
	for i, c := range f.Clauses {
		if i == maxNamedClauses {
			s.field("", fmt.Sprintf("and %d more", len(f.Clauses)-i))
			break
		}
		s.field("clause", fmt.Sprintf("%s  %s", c.ID, c.Title))
	}
	for _, i := range f.Invariants {
		s.field("invariant", i.ID+"  "+i.Title)
	}
	if f.Expected == "" && f.Observed == "" {
		s.field("reason", f.Reason)
	}
	s.field("expected", f.Expected)
	s.field("observed", f.Observed)
	for _, fault := range f.Faults {
		s.field("fault", fault)
	}
	if f.Scenario.ID != "" {
		s.field("seed", fmt.Sprint(seed))
	}
	for i, w := range f.Witness {
		if i == topWitnesses {
			s.field("witness", fmt.Sprintf("and %d more, in the report", len(f.Witness)-i))
			break
		}
		s.field("witness", fmt.Sprintf("#%d %s", w.Seq, w.Text))
	}
	s.field("history", f.Scenario.History)
	s.field("repeat", f.Repeat)
	s.line("", "")
}

// known tells the known failures, a line or two each, and what is wrong with
// their list.
func (s *summary) known(e harness.Evidence) {
	list, told := knownFindings(e), knownTold(e.Known)
	for _, f := range list {
		s.line(s.paint(harness.NotVerified, icon(f.Verdict)+" known")+"  "+oneLine(findingTitle(f)), "")
		s.field("known", knownText(*f.Known))
	}
	for _, k := range told {
		s.line(s.paint(knownTone(k), icon(knownTone(k))+" "+oneLine(k.Text)), "")
	}
	if len(list)+len(told) > 0 {
		s.line("", "")
	}
}

// thresholds tells what was measured, a line each. What was not is among the
// clauses that are not verified.
func (s *summary) thresholds(e harness.Evidence) {
	told := false
	for _, n := range e.NFRs {
		if n.N == 0 && n.Verdict == harness.NotVerified {
			continue
		}
		s.line(s.paint(n.Verdict, icon(n.Verdict)+" "+oneLine(n.ID))+"  "+oneLine(thresholdText(n)), "")
		told = true
	}
	if told {
		s.line("", "")
	}
}

// whyNothing tells, of a run in which nothing passed, what kept the scenarios that
// were carried out from passing: beside all that was not selected it would be lost.
func (s *summary) whyNothing(e harness.Evidence) {
	if e.Proved() || e.Totals.Fail > 0 {
		return
	}
	told := 0
	for _, r := range e.Scenarios {
		if r.Attempts == 0 || r.Verdict != harness.NotVerified && r.Verdict != harness.NotApplicable {
			continue
		}
		if told++; told > topReasons {
			s.line("and more, in the report", "    ")
			return
		}
		s.line(oneLine(r.ID)+": "+r.Verdict.String()+", "+shorten(oneLine(r.Reason), 160), "    ")
	}
}

// topWitnesses is how many events a terminal shows of one finding.
const topWitnesses = 4

// topReasons is how many reasons a terminal lists; the report has them all.
const topReasons = 3

func (s *summary) notVerified(e harness.Evidence) {
	if e.Totals.NotVerified == 0 {
		return
	}
	reasons := gaps(of(e, harness.NotVerified))
	s.line(s.paint(harness.NotVerified, icon(harness.NotVerified)+" not verified")+": "+plural(e.Totals.NotVerified, "clause"), "")
	for i, g := range reasons {
		if i == topReasons {
			s.line("and "+plural(len(reasons)-i, "further reason"), "    ")
			break
		}
		s.line(fmt.Sprintf("%4d  %s", len(g.Clauses), shorten(oneLine(g.Why), 110)), "  ")
	}
	s.line(strings.Repeat("─", 60), "")
}

// of returns the clauses with that verdict as [gaps] groups them.
func of(e harness.Evidence, o harness.Outcome) harness.Evidence {
	var those harness.Evidence
	for _, c := range e.Clauses {
		if c.Verdict == o {
			those.NotProven = append(those.NotProven, harness.NotProven{Clause: c.ID, Why: c.Reason})
		}
	}
	return those
}

// topExcluded is how many reasons a terminal lists of what the dialect excludes.
const topExcluded = 10

// notApplicable tells which clauses the dialect excludes, by reason: a knob that was
// set too leniently shows nowhere else.
func (s *summary) notApplicable(e harness.Evidence) {
	reasons := gaps(of(e, harness.NotApplicable))
	if len(reasons) == 0 {
		return
	}
	s.line(s.paint(harness.NotApplicable, icon(harness.NotApplicable)+" not applicable")+": "+plural(e.Totals.NotApplicable, "clause")+" that the dialect excludes", "")
	for i, g := range reasons {
		if i == topExcluded {
			s.line("and "+plural(len(reasons)-i, "further reason")+", in the report", "    ")
			break
		}
		ids := []string{}
		for _, id := range g.Clauses[:min(len(g.Clauses), maxNamedClauses)] {
			ids = append(ids, string(id))
		}
		if rest := len(g.Clauses) - len(ids); rest > 0 {
			ids = append(ids, fmt.Sprintf("and %d more", rest))
		}
		s.line(strings.Join(ids, " ")+"  "+shorten(oneLine(g.Why), 110), "    ")
	}
}
