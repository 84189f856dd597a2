package door

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/reports"
)

// Result is what became of one scenario.
type Result struct {
	Scenario harness.ScenarioResult
	evidence harness.Evidence // of this scenario alone
	dir      string
}

// Green reports whether the scenario passed. Only a pass is green.
func (r Result) Green() bool { return r.Scenario.Verdict == harness.Pass }

// Skipped reports whether the scenario was not judged: a capability is missing
// or the dialect excludes it. The reason is in Scenario.Reason.
func (r Result) Skipped() bool {
	return r.Scenario.Verdict == harness.NotVerified || r.Scenario.Verdict == harness.NotApplicable
}

// Text is what a person needs to mend it, in the words of the command line:
// each clause that failed, what was expected and observed, the faults, the
// seed, the witnesses, and the command that repeats it.
func (r Result) Text() string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s: %s: %s\n\n", r.Scenario.ID, r.Scenario.Verdict, r.Scenario.Reason)
	if err := reports.Summary(&b, r.evidence, "", false); err != nil {
		fmt.Fprintf(&b, "%v\n", err)
	}
	if r.Scenario.History != "" {
		fmt.Fprintf(&b, "  events  %s\n", filepath.Join(r.dir, filepath.FromSlash(r.Scenario.History)))
	}
	return b.String()
}

// judge judges the run folder as if the catalogue held this scenario only, so
// that one scenario goes the same way as a whole run.
func judge(dir string, plan harness.Plan, catalogue harness.Catalogue, s harness.Scenario) (Result, error) {
	e, err := harness.JudgeRun(dir, plan, only(catalogue, s), time.Now())
	if err != nil {
		return Result{}, fmt.Errorf("judge %s: %w", s.ID, err)
	}
	return Result{Scenario: e.Scenarios[0], evidence: e, dir: dir}, nil
}

// only narrows the catalogue to a scenario and what it decides.
func only(c harness.Catalogue, s harness.Scenario) harness.Catalogue {
	narrow := harness.Catalogue{Scenarios: []harness.Scenario{s}}
	clauses := s.Clauses()
	for _, clause := range c.Clauses {
		if slices.Contains(clauses, clause.ID) {
			narrow.Clauses = append(narrow.Clauses, clause)
		}
	}
	for _, i := range c.Invariants {
		if slices.ContainsFunc(s.Checks, func(check harness.Check) bool { return check.Invariant == i.ID }) {
			narrow.Invariants = append(narrow.Invariants, i)
		}
	}
	return narrow
}
