package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// baselineProblems returns why the correct reference is not all green.
func (k *killing) baselineProblems(t trial) []string {
	if t.err != nil {
		return []string{t.err.Error()}
	}
	var problems []string
	if c := t.evidence.Run.Control; c.Outcome != harness.Pass {
		problems = append(problems, c.Reason)
	}
	selected := k.baselineSelection()
	for _, s := range t.evidence.Scenarios {
		planned, _ := k.catalogue.Scenario(s.ID)
		if selected(planned) && s.Verdict != harness.Pass && s.Verdict != harness.NotApplicable {
			problems = append(problems, fmt.Sprintf("%s is %s: %s", s.ID, s.Verdict, s.Reason))
		}
	}
	if len(problems) == 0 && t.evidence.Run.Exit != harness.ExitGreen {
		problems = append(problems, fmt.Sprintf("its run ends with exit code %d", t.evidence.Run.Exit))
	}
	return problems
}

// explain says of each mutant that was not killed as its row says why, in the
// matrix and on the log.
func (k *killing) explain(m matrix) {
	for i, row := range m.Mutants {
		if row.Verdict == killed {
			continue
		}
		m.Mutants[i].Why = why(row, k.trials[row.Name])
		fmt.Fprintf(k.log, "%s %s: %s\n", row.Verdict, row.Name, row.Breaks)
		for _, line := range m.Mutants[i].Why {
			fmt.Fprintln(k.log, "    "+line)
		}
	}
}

// why compares the row of a mutant with what came of it.
func why(row kill, t trial) []string {
	var lines []string
	if t.err != nil {
		lines = append(lines, "could not be run: "+oneLine(t.err.Error()))
	}
	for _, c := range t.evidence.Clauses {
		expected, failed := slices.Contains(row.Kills, string(c.ID)), c.Verdict == harness.Fail
		switch {
		case expected && !failed:
			lines = append(lines, fmt.Sprintf("%s should fail, is %s: %s", c.ID, c.Verdict, oneLine(c.Reason)))
		case failed && !expected:
			lines = append(lines, fmt.Sprintf("%s should not fail:", c.ID))
			for _, check := range c.Checks {
				if check.Verdict == harness.Fail {
					lines = append(lines, fmt.Sprintf("    %s in %s: %s", check.Name, check.Scenario, oneLine(check.Reason)))
				}
			}
		}
	}
	return lines
}

func (k *killing) table(w io.Writer, m matrix) error {
	rows := [][]string{{"MUTANT", "VERDICT", "KILLS", "KILLED BY"}}
	for _, row := range m.Mutants {
		by := orDash(row.KilledBy)
		if row.Verdict == killed {
			by = "the same"
		}
		rows = append(rows, []string{row.Name, row.Verdict, orDash(row.Kills), by})
	}
	if err := table(w, rows); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%d of %s killed for the right reason\n", m.Score.Killed, plural(m.Score.Mutants, "mutant"))
	if k.partial {
		return nil
	}
	fmt.Fprintf(w, "%d of %s killed by a mutant\n", m.Score.MustKilled, plural(m.Score.MustClauses, "judged must-clause"))
	if len(m.Unkilled) > 0 {
		fmt.Fprintf(w, "without a mutant: %s\n", strings.Join(m.Unkilled, " "))
	}
	return nil
}
