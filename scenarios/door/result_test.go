package door

import (
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

// A failure text without one of these sends its reader looking for it.
func TestTextHasAllThatIsNeeded(t *testing.T) {
	scenario := harness.ScenarioResult{ID: "x/y", Verdict: harness.Fail, History: "history/x.y.jsonl",
		Faults: []harness.FaultResult{{Fault: "payment/charge#1:after-commit:reset", Planned: true}}}
	check := harness.CheckResult{Name: "at-most-once", Scenario: "x/y", Verdict: harness.Fail, Reason: "two charges",
		Expected: "1 charge", Observed: "2 charges", Witness: []harness.Witness{{Seq: 9, Text: "the second charge"}}, Repeat: "oncecheck run --only 'x/y'"}
	r := Result{Scenario: scenario, Verdict: harness.Fail, dir: "evidence", evidence: harness.Evidence{
		Schema: harness.EvidenceSchema, Run: harness.RunInfo{Seed: 42, Control: harness.Passed("ok")},
		Scenarios: []harness.ScenarioResult{scenario},
		Clauses:   []harness.ClauseResult{{ID: "A.1", Title: "charged once", Verdict: harness.Fail, Checks: []harness.CheckResult{check}}}}}
	text := r.Text()
	for _, want := range []string{"x/y: fail", "A.1", "charged once", "1 charge", "2 charges", "payment/charge#1:after-commit:reset",
		"42", "the second charge", "oncecheck run --only 'x/y'", "evidence/history/x.y.jsonl"} {
		if !strings.Contains(text, want) {
			t.Errorf("the text does not say %q:\n%s", want, text)
		}
	}
}
