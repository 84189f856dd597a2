package door

import (
	"errors"
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/reports"
	"github.com/oncecheck/oncecheck/scenarios"
)

// Finish judges a run folder once more as a whole and writes its reports. The
// test framework decides late what runs, so the plan selected everything; what
// selected refuses is taken out of it first, and shows as not selected.
func Finish(dir string, selected func(scenario string) bool) (harness.Evidence, error) {
	catalogue, err := scenarios.Catalogue()
	if err != nil {
		return harness.Evidence{}, err
	}
	plan, err := harness.ReadPlan(dir)
	if err != nil {
		return harness.Evidence{}, err
	}
	for i, p := range plan.Scenarios {
		plan.Scenarios[i].Selected = p.Selected && selected(p.ID)
	}
	if err := plan.Write(dir); err != nil {
		return harness.Evidence{}, err
	}
	e, err := harness.JudgeRun(dir, plan, catalogue, time.Now())
	if err != nil {
		return harness.Evidence{}, err
	}
	return e, reports.Write(dir, e, nil)
}

// Earned returns an error unless the run proved something: test frameworks are
// green when everything was skipped, and a positive control that failed leaves
// no verdict to believe.
func Earned(e harness.Evidence) error {
	if c := e.Run.Control; c.Outcome != harness.Pass {
		return fmt.Errorf("nothing was proven: %s; no scenario is believed without it", c.Reason)
	}
	reasons, passed := map[string]int{}, 0
	for _, s := range e.Scenarios {
		if s.Verdict == harness.Pass {
			passed++
		}
		reasons[s.Reason]++
	}
	if passed > 0 {
		return nil
	}
	return errors.New("nothing was proven: none of the " + fmt.Sprint(len(e.Scenarios)) +
		" scenarios passed" + mostOften(reasons))
}

// mostOften names the reason that most scenarios share; of equals the first.
func mostOften(reasons map[string]int) string {
	most := ""
	for r, n := range reasons {
		if most == "" || n > reasons[most] || n == reasons[most] && r < most {
			most = r
		}
	}
	if most == "" {
		return ""
	}
	return fmt.Sprintf("; most often (%d): %s", reasons[most], most)
}
