package main

import (
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/profile"
	"github.com/oncecheck/oncecheck/reference/stack"
)

// listing is one thing that can be listed: as JSON, and as a table for people.
type listing struct {
	name, short string
	json        func() any
	table       func() [][]string
	text        func(name string) ([]byte, error) // one of them whole; nil: there is no more to one than its row
}

func newList(catalogue harness.Catalogue) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list clauses|scenarios|nfrs|faults|dialects|capabilities|mutants|schemas",
		Short: "Lists what there is",
		Args:  cobra.ArbitraryArgs,
	}
	listings := []listing{
		listClauses(catalogue), listScenarios(catalogue), listNFRs(catalogue), listFaults(), listDialects(), listCapabilities(), listMutants(), listSchemas(),
	}
	var names []string
	for _, l := range listings {
		names = append(names, l.name)
		cmd.AddCommand(l.command())
	}
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return refuse(fmt.Errorf("list what? %s", orDash(names)), "for example: oncecheck list scenarios")
		}
		return refuse(fmt.Errorf("there are no %q to list", args[0]), didYouMean(nearest(args[0], names, 1), "there are "+orDash(names)))
	}
	return cmd
}

func (l listing) command() *cobra.Command {
	var asJSON bool
	var whole string
	cmd := &cobra.Command{
		Use:   l.name,
		Short: l.short,
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("print") {
				return l.print(cmd.OutOrStdout(), whole)
			}
			return l.write(cmd.OutOrStdout(), asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	if l.text != nil {
		cmd.Flags().StringVar(&whole, "print", "", "print the one with that `NAME`, whole")
		cmd.MarkFlagsMutuallyExclusive("json", "print")
	}
	return cmd
}

func (l listing) write(w io.Writer, asJSON bool) error {
	if asJSON {
		return writeJSON(w, l.json())
	}
	return table(w, l.table())
}

func (l listing) print(w io.Writer, name string) error {
	text, err := l.text(name)
	if err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		return fmt.Errorf("print the %s: %w", name, err)
	}
	return nil
}

// listedClause is a clause with whether anything decides it yet.
type listedClause struct {
	harness.Clause
	Judged bool `json:"judged"`
}

func listClauses(catalogue harness.Catalogue) listing {
	judged := judgedClauses(catalogue)
	return listing{
		name: "clauses", short: "The sentences of the requirements, and which are judged",
		json: func() any {
			list := []listedClause{}
			for _, c := range catalogue.Clauses {
				if c.Needs == nil {
					c.Needs = harness.Needs{}
				}
				list = append(list, listedClause{c, judged[c.ID]})
			}
			return list
		},
		table: func() [][]string {
			rows := [][]string{{"CLAUSE", "LEVEL", "STRENGTH", "JUDGED", "TITLE"}}
			for _, c := range catalogue.Clauses {
				rows = append(rows, []string{string(c.ID), c.Level, c.Strength, yesNo(judged[c.ID]), c.Title})
			}
			return rows
		},
	}
}

// judgedClauses returns the clauses that some check of the catalogue decides.
func judgedClauses(catalogue harness.Catalogue) map[harness.ClauseID]bool {
	judged := map[harness.ClauseID]bool{}
	for _, s := range catalogue.Scenarios {
		for _, id := range s.Clauses() {
			judged[id] = true
		}
	}
	for _, n := range catalogue.NFRs {
		judged[n.Clause] = true
	}
	return judged
}

type listedScenario struct {
	ID        string             `json:"id"`
	Title     string             `json:"title"`
	Needs     harness.Needs      `json:"needs"`
	Exclusive bool               `json:"exclusive"`
	Clauses   []harness.ClauseID `json:"clauses"`
	Checks    []string           `json:"checks"`
}

func listScenarios(catalogue harness.Catalogue) listing {
	return listing{
		name: "scenarios", short: "The experiments",
		json: func() any {
			list := []listedScenario{}
			for _, s := range catalogue.Scenarios {
				item := listedScenario{ID: s.ID, Title: s.Title, Needs: append(harness.Needs{}, s.Needs...), Exclusive: s.Exclusive,
					Clauses: append([]harness.ClauseID{}, s.Clauses()...), Checks: []string{}}
				for _, c := range s.Checks {
					item.Checks = append(item.Checks, c.Name)
				}
				list = append(list, item)
			}
			return list
		},
		table: func() [][]string {
			rows := [][]string{{"SCENARIO", "CLAUSES", "NEEDS", "TITLE"}}
			for _, s := range catalogue.Scenarios {
				rows = append(rows, []string{s.ID, strconv.Itoa(len(s.Clauses())), orDash(s.Needs), s.Title})
			}
			return rows
		},
	}
}

func listDialects() listing {
	return listing{
		name: "dialects", short: "The presets of what real APIs disagree on",
		json: func() any { return append([]harness.Dialect{}, profile.Dialects()...) },
		table: func() [][]string {
			rows := [][]string{{"DIALECT", "HEADER", "MISSING KEY", "MISMATCH", "IN PROGRESS", "STORES"}}
			for _, d := range profile.Dialects() {
				missing := "refuse"
				if d.Missing.Execute {
					missing = "execute"
				}
				rows = append(rows, []string{d.Name, d.Header, answered(missing, d.Missing.Refusal), answered(d.Mismatch.Mode, d.Mismatch.Refusal), answered(d.InProgress.Mode, d.InProgress.Refusal), d.Store})
			}
			return rows
		},
	}
}

// answered tells what a dialect does: how it refuses, or its other word for it.
func answered(mode string, r harness.Refusal) string {
	if mode != "refuse" {
		return mode
	}
	return refusal(r)
}

func refusal(r harness.Refusal) string {
	var words []string
	for _, status := range r.Statuses {
		words = append(words, strconv.Itoa(status))
	}
	if r.Code != "" {
		words = append(words, r.Code)
	}
	return orDash(words)
}

func listCapabilities() listing {
	return listing{
		name: "capabilities", short: "What a target may let us do or see",
		json: func() any { return append([]profile.Capability{}, profile.Capabilities()...) },
		table: func() [][]string {
			rows := [][]string{{"CAPABILITY", "PROFILE KEY", "USED", "MEANING"}}
			for _, c := range profile.Capabilities() {
				rows = append(rows, []string{string(c.Name), c.Key, yesNo(c.Offered), c.Meaning})
			}
			return rows
		},
	}
}

type listedMutant struct {
	Name   string   `json:"name"`
	Breaks string   `json:"breaks"`
	Kills  []string `json:"kills"`
	Needs  []string `json:"needs"`
}

func listMutants() listing {
	return listing{
		name: "mutants", short: "The broken variants of the reference that must be caught",
		json: func() any {
			list := []listedMutant{}
			for _, m := range stack.Mutants() {
				list = append(list, listedMutant{m.Name, m.Breaks, append([]string{}, m.Kills...), append([]string{}, m.Needs...)})
			}
			return list
		},
		table: func() [][]string {
			rows := [][]string{{"MUTANT", "KILLS", "NEEDS", "BREAKS"}}
			for _, m := range stack.Mutants() {
				rows = append(rows, []string{m.Name, orDash(m.Kills), orDash(m.Needs), m.Breaks})
			}
			return rows
		},
	}
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
