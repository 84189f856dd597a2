package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/reference/stack"
)

func newExplain(catalogue harness.Catalogue) *cobra.Command {
	return &cobra.Command{
		Use:     "explain CLAUSE|SCENARIO|NFR",
		Short:   "Says what a clause or a scenario is about and how it is decided",
		Example: "  oncecheck explain SRS-CHK-001.44\n  oncecheck explain idempotency/replay-success",
		Args:    oneArg("clause or scenario"),
		RunE: func(cmd *cobra.Command, args []string) error {
			w := cmd.OutOrStdout()
			if s, ok := catalogue.Scenario(args[0]); ok {
				return explainScenario(w, catalogue, s)
			}
			if n, ok := catalogue.NFR(args[0]); ok && args[0] != string(n.Clause) {
				return explainNFR(w, n)
			}
			for _, c := range catalogue.Clauses {
				if string(c.ID) == args[0] {
					return explainClause(w, catalogue, c)
				}
			}
			return refuse(fmt.Errorf("there is no clause and no scenario %q", args[0]),
				didYouMean(nearest(args[0], ids(catalogue), 3), "oncecheck list clauses and oncecheck list scenarios show the ids"))
		},
	}
}

func explainClause(w io.Writer, catalogue harness.Catalogue, c harness.Clause) error {
	fmt.Fprintf(w, "%s  %s\n\n", c.ID, c.Title)
	rows := [][]string{
		{"level", c.Level + ", " + strength(c.Strength)},
		{"measured by", orNone(c.Check)},
		{"needs", orDash(c.Needs)},
		{"has to catch", orNone(c.Bugs)},
	}
	if err := table(w, rows); err != nil {
		return err
	}
	deciding := [][]string{}
	for _, s := range catalogue.Scenarios {
		for _, check := range s.Checks {
			if check.Clause == c.ID {
				deciding = append(deciding, []string{"  " + s.ID, check.Name, conditions(check)})
			}
		}
	}
	if series := seriesOf(catalogue, c.ID); len(series) > 0 {
		fmt.Fprintln(w, "\ndecided in the lane nfr by, all of them:")
		if err := table(w, series); err != nil {
			return err
		}
		fmt.Fprintf(w, "\nrun it:  oncecheck run --lane nfr --only %s\n", c.ID)
		return nil
	}
	if len(deciding) == 0 {
		fmt.Fprintln(w, "\nno scenario judges it yet: it stays not-verified")
		return nil
	}
	fmt.Fprintln(w, "\ndecided by, all of them:")
	if err := table(w, deciding); err != nil {
		return err
	}
	killed := [][]string{}
	for _, m := range stack.Mutants() {
		if slices.Contains(m.Kills, string(c.ID)) {
			killed = append(killed, []string{"  " + m.Name, m.Breaks})
		}
	}
	if len(killed) > 0 {
		fmt.Fprintln(w, "\nmutants that it catches:")
	} else {
		fmt.Fprintln(w, "\nno mutant is caught by it")
	}
	if err := table(w, killed); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nrun it:  oncecheck run --only %s\n", c.ID)
	return nil
}

func explainScenario(w io.Writer, catalogue harness.Catalogue, s harness.Scenario) error {
	fmt.Fprintf(w, "%s  %s\n\n", s.ID, s.Title)
	alone := "no"
	if s.Exclusive {
		alone = "yes, it disturbs the target for everybody"
	}
	if err := table(w, [][]string{{"needs", orDash(s.Needs)}, {"runs alone", alone}}); err != nil {
		return err
	}
	titles := map[harness.ClauseID]string{}
	for _, c := range catalogue.Clauses {
		titles[c.ID] = c.Title
	}
	for _, i := range catalogue.Invariants {
		titles[harness.ClauseID(i.ID)] = i.Title
	}
	fmt.Fprintln(w, "\nchecks:")
	var rows [][]string
	for _, check := range s.Checks {
		for _, id := range []string{string(check.Clause), check.Invariant} {
			if id != "" {
				rows = append(rows, []string{"  " + check.Name, id, titles[harness.ClauseID(id)]})
			}
		}
	}
	if err := table(w, rows); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nrun it:  oncecheck run --only %s\n", s.ID)
	return nil
}

// conditions says what a pass of the check rests on beyond the answers.
func conditions(c harness.Check) string {
	var words []string
	if c.Gates.Effects {
		words = append(words, "counts effects")
	}
	if c.Gates.Overlap {
		words = append(words, "needs overlapping requests")
	}
	if c.Gates.Timing {
		words = append(words, "compares times")
	}
	if len(c.Needs) > 0 {
		words = append(words, "needs "+strings.Join(c.Needs, " "))
	}
	if c.Supplement {
		words = append(words, "supplement")
	}
	return strings.Join(words, ", ")
}

func strength(s string) string {
	switch s {
	case "literal":
		return "literal: the source says so"
	case "derived":
		return "derived: a literal clause would not hold without it"
	case "lesson":
		return "lesson: from the lesson notes"
	}
	return s
}

func orNone(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
