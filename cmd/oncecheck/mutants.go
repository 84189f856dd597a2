package main

import (
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/spf13/cobra"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/reference/stack"
)

// smoke is run against every mutant besides the scenarios of its row, so that a
// mutant that breaks more than it says is found out.
func smoke() []string { return []string{"idempotency/replay-success", "status/owner-reads"} }

func newMutants(catalogue harness.Catalogue) *cobra.Command {
	var asJSON bool
	var only []string
	jobs := 3
	cmd := &cobra.Command{
		Use:   "mutants",
		Short: "Tests the tests: each broken variant must fail exactly the clauses it breaks",
		Long: `Runs the catalogue on the correct reference, which has to be green, and on every
mutant the scenarios of its row. A mutant is killed if it fails exactly the
clauses of its row among those that were run. What a busy machine leaves open is
run once more, by itself; what failed is not.

Exit: 0 all are killed and every judged must-clause kills one, else 1.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			rows, err := mutantRows(only)
			if err != nil {
				return err
			}
			if jobs < 1 {
				return refuse(fmt.Errorf("--jobs %d: at least one mutant has to run", jobs), "")
			}
			k := killing{catalogue: catalogue, rows: rows, partial: len(only) > 0, jobs: jobs, log: cmd.ErrOrStderr(), trials: map[string]trial{}}
			return k.run(cmd, asJSON)
		},
	}
	cmd.Flags().StringArrayVar(&only, "only", nil, "`PATTERN` over the names and the clauses of mutants; may be repeated")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	cmd.Flags().IntVar(&jobs, "jobs", jobs, "mutants side by side, `N`; twice as many of those that mostly wait")
	return cmd
}

// mutantRows returns the mutants whose name or a clause of theirs matches one of the
// patterns, all if there are none. Each pattern has to match something.
func mutantRows(patterns []string) ([]stack.Mutant, error) {
	all := stack.Mutants()
	if len(patterns) == 0 {
		return all, nil
	}
	picked := make([]bool, len(all))
	for _, pattern := range patterns {
		matches, err := glob(pattern)
		if err != nil {
			return nil, err
		}
		var names []string
		found := false
		for i, m := range all {
			names = append(names, m.Name)
			if matches(m.Name) || slices.ContainsFunc(m.Kills, matches) {
				picked[i], found = true, true
			}
		}
		if !found {
			return nil, refuse(fmt.Errorf("--only %q matches no mutant", pattern), didYouMean(nearest(pattern, names, 3), "oncecheck list mutants shows them"))
		}
	}
	var rows []stack.Mutant
	for i, m := range all {
		if picked[i] {
			rows = append(rows, m)
		}
	}
	return rows, nil
}

// killing is one making of the matrix. The correct reference is the mutant
// without a name.
type killing struct {
	catalogue harness.Catalogue
	rows      []stack.Mutant
	partial   bool // only some mutants: nothing can be said of all clauses
	jobs      int
	log       io.Writer

	mu     sync.Mutex
	trials map[string]trial // by mutant
}

// trial is what came of running one mutant.
type trial struct {
	evidence harness.Evidence
	err      error // it could not be run
}

const correct = "" // the name of the reference itself

func (k *killing) run(cmd *cobra.Command, asJSON bool) error {
	if k.partial {
		fmt.Fprintln(k.log, "with --only, clauses that no mutant kills are not looked for, and the reference runs only what these mutants run")
	}
	if err := k.tryAll(cmd.Context()); err != nil {
		return err
	}
	failed := map[string][]string{}
	for name, t := range k.trials {
		failed[name] = failedClauses(t.evidence)
	}
	baseline := k.trials[correct]
	must := judgedMust(baseline.evidence)
	if k.partial {
		must = nil
	}
	m := newMatrix(k.rows, failed, must)
	problems := k.baselineProblems(baseline)
	for _, p := range problems {
		fmt.Fprintln(k.log, "the correct reference is not green: "+oneLine(p))
	}
	k.explain(m)
	var err error
	if asJSON {
		err = writeJSON(cmd.OutOrStdout(), m)
	} else {
		err = k.table(cmd.OutOrStdout(), m)
	}
	if err != nil {
		return err
	}
	if len(problems) > 0 || !m.complete() {
		return conclude(harness.ExitFail)
	}
	return nil
}
