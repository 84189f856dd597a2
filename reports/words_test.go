package reports

import (
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

func TestOneLineDisarmsTerminalAndDirectionTricks(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                    "plain",
		"two\nlines\tand tab":      "two lines and tab",
		"\x1b[2Jcleared":           "\uFFFD[2Jcleared",
		"pay \u202Eevil\u202C now": "pay \uFFFDevil\uFFFD now",
		"null\x00byte":             "null\uFFFDbyte",
		"ends\x9b31m":              "ends\uFFFD31m",
	} {
		if got := oneLine(in); got != want {
			t.Errorf("oneLine(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestStandingNeverClaimsMoreThanTheWorstVerdict(t *testing.T) {
	control := harness.RunInfo{Control: harness.Passed("ok")}
	for name, c := range map[string]struct {
		e    harness.Evidence
		want string
	}{
		"nothing ran": {harness.Evidence{Run: control, Clauses: []harness.ClauseResult{{Verdict: harness.NotVerified}}}, "Nothing was proven"},
		"only passes": {harness.Evidence{Run: control, Clauses: []harness.ClauseResult{{Verdict: harness.Pass}, {Verdict: harness.NotVerified}}}, "Nothing failed"},
		"no scenario passed": {harness.Evidence{Run: control, Clauses: []harness.ClauseResult{{Verdict: harness.NotVerified}}, Invariants: []harness.InvariantResult{{ID: "I6", Verdict: harness.Pass,
			Checks: []harness.CheckResult{{Name: "every-effect-has-a-cause", Scenario: harness.AftermathID, Verdict: harness.Pass}}}}}, "Nothing was proven"},
		"one check of a scenario passed": {harness.Evidence{Run: control, Clauses: []harness.ClauseResult{{Verdict: harness.NotVerified, Checks: []harness.CheckResult{{Scenario: "x/one", Verdict: harness.Pass}}}},
			Scenarios: []harness.ScenarioResult{{ID: "x/one", Verdict: harness.NotVerified}}, Invariants: []harness.InvariantResult{{ID: "I1", Verdict: harness.Pass, Checks: []harness.CheckResult{{Scenario: "x/one", Verdict: harness.Pass}}}}}, "Nothing was proven"},
		"a whole scenario passed": {harness.Evidence{Run: control, Clauses: []harness.ClauseResult{{Verdict: harness.NotVerified}}, Scenarios: []harness.ScenarioResult{{ID: "x/one", Verdict: harness.Pass}},
			Invariants: []harness.InvariantResult{{ID: "I1", Verdict: harness.Pass}}}, "Nothing failed"},
		"one unclear":       {harness.Evidence{Run: control, Clauses: []harness.ClauseResult{{Verdict: harness.Inconclusive}, {Verdict: harness.Pass}}}, "Inconclusive"},
		"control missing":   {harness.Evidence{Clauses: []harness.ClauseResult{{Verdict: harness.Pass}}}, "Inconclusive"},
		"invariant broken":  {harness.Evidence{Run: control, Clauses: []harness.ClauseResult{{Verdict: harness.Pass}}, Invariants: []harness.InvariantResult{{ID: "I1", Verdict: harness.Fail}}}, "Failures found"},
		"threshold broken":  {harness.Evidence{Run: control, NFRs: []harness.NFRResult{{Verdict: harness.Fail}}}, "Failures found"},
		"fail outranks all": {harness.Evidence{Clauses: []harness.ClauseResult{{Verdict: harness.Fail}, {Verdict: harness.Inconclusive}}}, "Failures found"},
	} {
		if got, _ := standing(c.e); got != c.want {
			t.Errorf("%s: standing = %q, want %q", name, got, c.want)
		}
	}
}
