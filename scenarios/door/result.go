package door

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/oncecheck/oncecheck/harness"
)

// Result is what became of one scenario, judged from its history alone. What
// the ledger shows later is added when the whole run is judged.
type Result struct {
	Scenario harness.ScenarioResult
	// Verdict is the scenario's, with one difference: it is a pass where the
	// target lacks a capability only for an invariant or for what goes beyond the
	// register, and every clause that the scenario decides passed. Only a pass is
	// green; not-verified and not-applicable say why in Scenario.Reason.
	Verdict  harness.Outcome
	evidence harness.Evidence // of this scenario alone
	dir      string
}

// Skipped reports whether the scenario was not judged: a capability is missing
// or the dialect excludes it.
func (r Result) Skipped() bool {
	return r.Verdict == harness.NotVerified || r.Verdict == harness.NotApplicable
}

// Text is what a person needs to mend it, in the words of the command line:
// each clause that failed, what was expected and observed, the faults, the
// seed, the witnesses, and the command that repeats it.
func (r Result) Text() string {
	text := fmt.Sprintf("%s: %s\n\n%s", r.Scenario.ID, r.Verdict, summary(r.evidence))
	if r.Scenario.History != "" {
		text += fmt.Sprintf("  events  %s\n", filepath.Join(r.dir, filepath.FromSlash(r.Scenario.History)))
	}
	return text
}

// judge judges the history that a scenario left in the run folder.
func (r *Run) judge(s harness.Scenario) (Result, error) {
	path := harness.HistoryFile(r.dir, s.ID)
	h, err := harness.OpenHistory(path)
	if err != nil {
		return Result{}, fmt.Errorf("judge %s: %w", s.ID, err)
	}
	checks := harness.Judge(s, h)
	result := r.blank(s)
	result.Attempts = 1
	if h.Header.Scale != 1 {
		result.Scale = h.Header.Scale
	}
	result.History = "history/" + filepath.Base(path)
	result.Faults = planned(h)
	verdicts := make([]harness.Verdict, len(checks))
	for i, c := range checks {
		verdicts[i] = harness.Verdict{Outcome: c.Verdict, Reason: c.Name + ": " + c.Reason}
		checks[i].Repeat = result.Repeat
	}
	v := harness.Merge(verdicts...)
	result.Verdict, result.Reason = v.Outcome, v.Reason
	out := r.result(result)
	out.evidence.Clauses, out.evidence.Invariants = clauses(r.catalogue, s, checks, h.Header.Scale), invariants(r.catalogue, s, checks)
	out.evidence.Totals = totals(out.evidence.Clauses)
	if t := out.evidence.Totals; out.Verdict == harness.NotVerified && t.Pass > 0 && t.Fail+t.Inconclusive+t.NotVerified == 0 {
		out.Verdict = harness.Pass
	}
	return out, nil
}

// blank is the result of a scenario before anything is known of it.
func (r *Run) blank(s harness.Scenario) harness.ScenarioResult {
	return harness.ScenarioResult{ID: s.ID, Title: s.Title, Faults: []harness.FaultResult{}, Repeat: r.runner.Plan().Run.Repeat + " --only " + quoted(s.ID)}
}

func (r *Run) result(s harness.ScenarioResult) Result {
	plan := r.runner.Plan()
	run := plan.Run
	run.Control = r.runner.Control()
	return Result{Scenario: s, Verdict: s.Verdict, dir: r.dir, evidence: harness.Evidence{
		Schema: harness.EvidenceSchema, Run: run, Target: plan.Target, Scenarios: []harness.ScenarioResult{s}}}
}

// planned returns the faults that the scenario planned.
func planned(h *harness.History) []harness.FaultResult {
	faults := []harness.FaultResult{}
	for e := range h.Events() {
		if e.Type == harness.FaultEvent && e.Fault.Stage == harness.FaultPlanned {
			f := harness.FaultResult{Case: e.Case, Fault: e.Fault.Fault, Planned: true}
			if !slices.Contains(faults, f) {
				faults = append(faults, f)
			}
		}
	}
	return faults
}
