package suite

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/oncecheck/oncecheck/reports"
	"github.com/oncecheck/oncecheck/scenarios/door"
)

// finish runs in the first process, after everything: it judges the run folder
// as a whole, writes the reports and fails a suite that proved nothing.
func (s *session) finish(_ ginkgo.SpecContext, report ginkgo.Report) {
	if report.SuiteConfig.DryRun {
		fmt.Println("dry run: nothing was sent, nothing is proven")
		return
	}
	if s.run == nil {
		if report.SuiteSucceeded {
			ginkgo.Fail(fmt.Sprintf("no spec ran: focus, skip and label filters left none of %d; nothing was proven", report.PreRunStats.TotalSpecs))
		}
		return
	}
	selected, passed := s.selected(report)
	finished, err := door.Finish(s.dir, func(id string) bool { return selected[id] })
	succeed(err)
	if !report.SuiteSucceeded { // Ginkgo printed each failure already
		fmt.Println("evidence: " + filepath.Join(s.dir, "report.html"))
		return
	}
	succeed(finished.Err(passed))
	kept := s.dir
	if s.options.Out == "" {
		succeed(os.RemoveAll(s.dir))
		kept = ""
	}
	succeed(reports.Summary(os.Stdout, finished.Evidence, kept, false))
}

// selected returns the scenarios that the run was to try. Ginkgo does not tell a
// spec that a filter took out from one that it never came to; so after a suite
// that ended early every scenario counts as selected, and what left no history
// shows as a gap. It also returns how many passed.
func (s *session) selected(report ginkgo.Report) (map[string]bool, int) {
	early := report.SuiteConfig.FailFast || len(report.SpecialSuiteFailureReasons) > 0
	tried, passed := map[string]bool{}, 0
	for _, spec := range report.SpecReports {
		if id, ok := s.texts[spec.LeafNodeText]; ok {
			tried[id] = tried[id] || spec.NumAttempts > 0
			if spec.State == types.SpecStatePassed {
				passed++
			}
		} else if spec.LeafNodeType.Is(types.NodeTypesForSuiteLevelNodes) && spec.State.Is(types.SpecStateFailureStates) {
			early = true
		}
	}
	if early {
		for _, id := range s.texts {
			tried[id] = true
		}
	}
	return tried, passed
}
