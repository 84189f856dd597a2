package door

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/reports"
	"github.com/oncecheck/oncecheck/scenarios"
)

// Finished is a run that was judged as a whole and whose reports are written.
type Finished struct {
	Evidence harness.Evidence
	missing  []string // capabilities that kept selected scenarios from running
}

// Finish judges a run folder once more as a whole and writes its reports. The
// test framework decides late what runs, so the plan selected everything; what
// selected refuses is taken out of it first, and shows as not selected.
func Finish(dir string, selected func(scenario string) bool) (Finished, error) {
	catalogue, err := scenarios.Catalogue()
	if err != nil {
		return Finished{}, err
	}
	plan, err := harness.ReadPlan(dir)
	if err != nil {
		return Finished{}, err
	}
	var f Finished
	for i, p := range plan.Scenarios {
		plan.Scenarios[i].Selected = p.Selected && selected(p.ID)
		if plan.Scenarios[i].Selected {
			f.missing = append(f.missing, p.Missing...)
		}
	}
	slices.Sort(f.missing)
	f.missing = slices.Compact(f.missing)
	if err := plan.Write(dir); err != nil {
		return Finished{}, err
	}
	if f.Evidence, err = harness.JudgeRun(dir, plan, catalogue, time.Now()); err != nil {
		return Finished{}, err
	}
	return f, reports.Write(dir, f.Evidence, nil)
}

// Err returns why a run of which no scenario failed must not be green after
// all: test frameworks are content when everything was skipped; a positive
// control that failed leaves no verdict to believe; and what came late or fits
// no case shows only in the run as a whole. Green is how many scenarios passed.
func (f Finished) Err(green int) error {
	if c := f.Evidence.Run.Control; c.Outcome != harness.Pass {
		return fmt.Errorf("nothing was proven: %s; no scenario is believed without it", c.Reason)
	}
	if green == 0 {
		text := "nothing was proven: no scenario passed"
		if len(f.missing) > 0 {
			text += "; the profile does not offer: " + strings.Join(f.missing, ", ")
		}
		return errors.New(text)
	}
	if code := f.Evidence.ExitCode(); code != harness.ExitGreen {
		return fmt.Errorf("no scenario failed by itself, but the run as a whole ends with exit code %d:\n%s", code, summary(f.Evidence))
	}
	return nil
}

// summary is the evidence in the words of the command line.
func summary(e harness.Evidence) string {
	var b bytes.Buffer
	if err := reports.Summary(&b, e, "", false); err != nil {
		return err.Error()
	}
	return b.String()
}
