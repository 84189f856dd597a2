package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/reports"
)

func newJudge(catalogue harness.Catalogue) *cobra.Command {
	return &cobra.Command{
		Use:   "judge DIR",
		Short: "Judges the stored histories of a run again, offline",
		Long: `Judges the histories of a run folder again and compares with its evidence.

Exit: 0 the same verdicts, 1 they differ, 2 the folder cannot be read.`,
		Args: oneArg("run folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := args[0]
			stored, err := reports.Read(dir)
			if err != nil {
				return refuse(err, "oncecheck judge takes the folder that a run wrote, the one with evidence.json")
			}
			plan, err := harness.ReadPlan(dir)
			if err != nil {
				return refuse(err, "")
			}
			judged, err := harness.JudgeRun(dir, plan, catalogue, stored.Run.Finished)
			if err != nil {
				return refuse(err, "")
			}
			differences := compare(stored, judged)
			if len(differences) == 0 {
				fmt.Fprintf(cmd.OutOrStdout(), "same verdicts: %s, %s, %s judged again\n",
					plural(len(judged.Scenarios), "scenario"), plural(len(judged.Clauses), "clause"), plural(len(judged.Invariants), "invariant"))
				return nil
			}
			for _, d := range differences {
				fmt.Fprintln(cmd.OutOrStdout(), oneLine(d))
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: the evidence does not say what its histories say\n", plural(len(differences), "difference"))
			return conclude(harness.ExitFail)
		},
	}
}

// judgement is one verdict of an evidence, with what it is about.
type judgement struct {
	about   string
	verdict harness.Outcome
	reason  string
}

// compare returns one line for each verdict that differs.
func compare(stored, judged harness.Evidence) []string {
	var differences []string
	differ := func(about, was, is string) {
		differences = append(differences, fmt.Sprintf("%s: the evidence says %s, the histories say %s", about, was, is))
	}
	before := map[string]judgement{}
	for _, j := range judgements(stored) {
		if _, twice := before[j.about]; twice {
			differ(j.about, "it twice", "it once")
		}
		before[j.about] = j
	}
	for _, j := range judgements(judged) {
		was, known := before[j.about]
		delete(before, j.about)
		switch {
		case !known:
			differ(j.about, "nothing", j.verdict.String())
		case was.verdict != j.verdict:
			differ(j.about, was.verdict.String(), j.verdict.String()+" ("+j.reason+")")
		}
	}
	for _, j := range judgements(stored) {
		if left, ok := before[j.about]; ok {
			delete(before, j.about)
			differ(j.about, left.verdict.String(), "nothing")
		}
	}
	if stored.Run.Exit != judged.Run.Exit {
		differ("exit code", fmt.Sprint(stored.Run.Exit), fmt.Sprint(judged.Run.Exit))
	}
	return differences
}

// judgements lists every verdict of an evidence in a fixed order.
func judgements(e harness.Evidence) []judgement {
	list := []judgement{{"positive control", e.Run.Control.Outcome, e.Run.Control.Reason}}
	checks := func(about string, results []harness.CheckResult) {
		for _, c := range results {
			list = append(list, judgement{about + " check " + c.Name + " in " + c.Scenario, c.Verdict, c.Reason})
		}
	}
	for _, s := range e.Scenarios {
		list = append(list, judgement{"scenario " + s.ID, s.Verdict, s.Reason})
	}
	for _, c := range e.Clauses {
		list = append(list, judgement{"clause " + string(c.ID), c.Verdict, c.Reason})
		checks("clause "+string(c.ID), c.Checks)
	}
	for _, i := range e.Invariants {
		list = append(list, judgement{"invariant " + i.ID, i.Verdict, i.Reason})
		checks("invariant "+i.ID, i.Checks)
	}
	return list
}
