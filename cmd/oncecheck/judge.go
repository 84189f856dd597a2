package main

import (
	"encoding/json"
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

It also compares every file with the manifest that the run wrote.

Exit: 0 the same verdicts and files, 1 something differs, 2 the folder cannot be
read.`,
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
			differences := compare(reports.AsWritten(stored), reports.AsWritten(judged))
			changed, err := reports.VerifyManifest(dir)
			if err != nil {
				return refuse(err, "the manifest is written last; without it the folder is not what a run left behind")
			}
			for _, c := range changed {
				differences = append(differences, fmt.Sprintf("%s: %s since the run wrote its manifest", c.Path, c.What))
			}
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
	for _, part := range []struct {
		about    string
		was, now any
	}{
		{"target", stored.Target, judged.Target}, {"totals", stored.Totals, judged.Totals}, {"effects", stored.Effects, judged.Effects},
		{"thresholds", measurements(stored), measurements(judged)},
		{"what is not proven", clausesOf(stored.NotProven), clausesOf(judged.NotProven)},
		{"run id", stored.Run.ID, judged.Run.ID}, {"seed", stored.Run.Seed, judged.Run.Seed}, {"lane", stored.Run.Lane, judged.Run.Lane},
	} {
		if was, now := text(part.was), text(part.now); was != now {
			differ(part.about, was, now)
		}
	}
	if stored.Run.Exit != judged.Run.Exit {
		differ("exit code", fmt.Sprint(stored.Run.Exit), fmt.Sprint(judged.Run.Exit))
	}
	return differences
}

// text is a value in a form that can be compared and shown; these are plain data.
func text(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

func clausesOf(list []harness.NotProven) []harness.ClauseID {
	ids := make([]harness.ClauseID, len(list))
	for i, n := range list {
		ids[i] = n.Clause
	}
	return ids
}

// measurements are the numbers of the thresholds.
func measurements(e harness.Evidence) [][]any {
	list := [][]any{}
	for _, n := range e.NFRs {
		list = append(list, []any{n.ID, n.N, n.Violations, n.UpperBound, n.Threshold})
	}
	return list
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
	for _, n := range e.NFRs {
		list = append(list, judgement{"threshold " + n.ID, n.Verdict, n.Reason})
	}
	for _, i := range e.Invariants {
		list = append(list, judgement{"invariant " + i.ID, i.Verdict, i.Reason})
		checks("invariant "+i.ID, i.Checks)
	}
	return list
}
