package main

import (
	"fmt"
	"io"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/profile"
)

// dryRun shows what a run would do. Without a profile it cannot tell what is
// missing: the embedded reference is not started for that.
func dryRun(w io.Writer, x experiment, target *profile.Profile) error {
	fmt.Fprintln(w, dryRunTitle)
	if target == nil {
		fmt.Fprintln(w, "target: the embedded reference, which declares what `oncecheck serve --write-profile FILE` writes")
	} else {
		fmt.Fprintf(w, "target: %s at %s\n", oneLine(target.Target.Name), oneLine(address(target)))
		limited(w, x.target(target).Info().Limits, x.jobs)
	}
	var have []harness.Capability
	if target != nil {
		have = target.Info().Capabilities
	}
	if target != nil && target.Client != nil {
		have = append(have, toldByShim()...)
		fmt.Fprintln(w, shimNotAsked)
	}
	fmt.Fprintln(w)
	if x.measured == nil && target != nil {
		selected := x.selected
		x.selected = func(s harness.Scenario) bool { return selected(s) && s.TooLong(x.info.Lane, target.Policy) == 0 }
		if err := x.tooLong(w, target.Policy, selected); err != nil {
			return err
		}
	}
	return x.would(w, func(n harness.Needs) []string {
		if target == nil {
			return nil
		}
		return n.Missing(have)
	})
}

// tooLong lists what was selected and takes too long on the target.
func (x experiment) tooLong(w io.Writer, policy harness.Policy, selected func(harness.Scenario) bool) error {
	for _, s := range x.catalogue.Scenarios {
		if took := s.TooLong(x.info.Lane, policy); took > 0 && selected(s) {
			if _, err := fmt.Fprintf(w, "%s takes about %s under the target's policy: only the lane %s runs it\n", s.ID, took.Std().Round(time.Second), harness.LaneSpec); err != nil {
				return err
			}
		}
	}
	return nil
}

// would lists what was selected with what it lacks.
func (x experiment) would(w io.Writer, lacks func(harness.Needs) []string) error {
	if x.measured != nil {
		return wouldMeasure(w, x.catalogue, x.measured, lacks)
	}
	return wouldRun(w, x.catalogue, x.selected, func(s harness.Scenario) []string { return lacks(s.Needs) })
}

const (
	dryRunTitle  = "dry run: nothing was sent, nothing is proven"
	shimNotAsked = "the client's shim is not asked: what only it can tell counts as offered"
)

// toldByShim returns the capabilities that only a client's shim can tell.
func toldByShim() []harness.Capability {
	var told []harness.Capability
	for _, c := range profile.Capabilities() {
		if c.ToldByShim {
			told = append(told, c.Name)
		}
	}
	return told
}

// address returns where a target is: its URL, or the shim where that is all.
func address(p *profile.Profile) string {
	if p.Target.URL == "" && p.Client != nil {
		return p.Client.Shim
	}
	return p.Target.URL
}

// wouldRun lists the selected scenarios with what they lack.
func wouldRun(w io.Writer, catalogue harness.Catalogue, selected func(harness.Scenario) bool, lacks func(harness.Scenario) []string) error {
	rows := [][]string{{"SCENARIO", "WOULD", "NEEDS", "MISSING", "CLAUSES"}}
	runs, left := 0, 0
	for _, s := range catalogue.Scenarios {
		if !selected(s) {
			continue
		}
		missing := lacks(s)
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
