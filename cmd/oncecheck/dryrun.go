package main

import (
	"fmt"
	"io"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/profile"
)

// dryRun shows what a run would do. Without a profile it cannot tell what is
// missing: the embedded reference is not started for that.
func dryRun(w io.Writer, catalogue harness.Catalogue, selected func(harness.Scenario) bool, target *profile.Profile, jobs int) error {
	fmt.Fprintln(w, "dry run: nothing was sent, nothing is proven")
	if target == nil {
		fmt.Fprintln(w, "target: the embedded reference, which declares what `oncecheck serve --write-profile FILE` writes")
	} else {
		fmt.Fprintf(w, "target: %s at %s\n", oneLine(target.Target.Name), oneLine(target.Target.URL))
		limited(w, target.Info().Limits, jobs)
	}
	fmt.Fprintln(w)
	rows := [][]string{{"SCENARIO", "WOULD", "NEEDS", "MISSING", "CLAUSES"}}
	runs, left := 0, 0
	for _, s := range catalogue.Scenarios {
		if !selected(s) {
			continue
		}
		var missing []string
		if target != nil {
			missing = s.Needs.Missing(target.Info().Capabilities)
		}
		would := "run"
		if len(missing) > 0 {
			would = "stay unverified"
			left++
		} else {
			runs++
		}
		rows = append(rows, []string{s.ID, would, orDash(s.Needs), orDash(missing), orDash(texts(s.Clauses()))})
	}
	if err := table(w, rows); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%s would run, %d would stay unverified for want of a capability\n", plural(runs, "scenario"), left)
	return nil
}

// texts returns clause ids as plain strings.
func texts(ids []harness.ClauseID) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = string(id)
	}
	return out
}
