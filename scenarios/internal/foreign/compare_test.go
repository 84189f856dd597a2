package main

import (
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

// shown is the evidence of a target that keeps one promise, breaks another, and
// was not tried for the third.
func shown() harness.Evidence {
	seen := []harness.Witness{{Seq: 1}}
	return harness.Evidence{
		Clauses: []harness.ClauseResult{
			{ID: "A.01", Verdict: harness.Pass, Reason: "10 repeats"},
			{ID: "A.02", Verdict: harness.Fail, Reason: "own-order in scope: expected one of bob, observed that of alice", Checks: []harness.CheckResult{
				{Name: "own-order", Scenario: "scope", Verdict: harness.Fail, Reason: "expected one of bob, observed that of alice", Witness: seen},
				{Name: "effects", Scenario: "scope", Verdict: harness.Fail, Reason: "expected 2 order, observed 1 order", Witness: seen},
				{Name: "answered", Scenario: "scope", Verdict: harness.Pass, Reason: "4 answers"},
			}},
			{ID: "A.03", Verdict: harness.NotVerified, Reason: "no scenario"},
		},
		Invariants: []harness.InvariantResult{{ID: "I5", Verdict: harness.Fail, Reason: "observed that of alice"}},
	}
}

const asShown = "# known\nA.01\tpass\trepeats\nA.02\tfail\tthat of alice\nA.02\tfail\teffects in scope: expected 2 order\nI5\tfail\talice\n"

func TestCompare(t *testing.T) {
	for _, c := range []struct {
		name, expected string
		want           []string // one part for each difference
	}{
		{"as expected", asShown, nil},
		{"worse", strings.Replace(asShown, "I5\tfail", "I5\tpass", 1), []string{"I5 is fail, expected pass: observed that of alice"}},
		{"better", strings.Replace(asShown, "A.01\tpass", "A.01\tfail", 1), []string{"A.01 is pass, expected fail: 10 repeats"}},
		{"another reason", strings.Replace(asShown, "2 order", "3 order", 1), []string{`A.02 is fail as expected, but nothing says "effects in scope: expected 3 order"`}},
		{"a reason of a check that passed is none of a failure", asShown + "A.02\tfail\t4 answers\n", []string{`nothing says "4 answers"`}},
		{"no line for what failed", strings.Replace(asShown, "I5\tfail\talice\n", "", 1), []string{"I5 is fail and has no line, so it has to be not-verified"}},
		{"no line for what passed", strings.Replace(asShown, "A.01\tpass\trepeats\n", "", 1), []string{"A.01 is pass and has no line"}},
		{"a line for nothing", asShown + "A.09\tpass\tx\n", []string{"A.09 has a line, but the evidence holds no such clause or invariant"}},
		{"a line that agrees that nothing was tried", asShown + "A.03\tnot-verified\tno scenario\n", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			known, err := parseExpected(c.expected)
			if err != nil {
				t.Fatal(err)
			}
			got := compare(shown(), known)
			if len(got) != len(c.want) {
				t.Fatalf("differences %q, want %d", got, len(c.want))
			}
			for i, part := range c.want {
				if !strings.Contains(got[i], part) {
					t.Errorf("difference %q does not say %q", got[i], part)
				}
			}
		})
	}
}

// TestUnshown: a failure that shows nothing is no finding, even where it is known.
func TestUnshown(t *testing.T) {
	known, err := parseExpected(asShown)
	if err != nil {
		t.Fatal(err)
	}
	e := shown()
	e.Clauses[1].Checks[1].Witness = nil
	if got := compare(e, known); len(got) != 1 || got[0] != "A.02 fails by effects in scope, which shows no event of the history" {
		t.Errorf("differences %q", got)
	}
}

func TestUnsettled(t *testing.T) {
	e := harness.Evidence{Clauses: []harness.ClauseResult{{ID: "A.01", Verdict: harness.Inconclusive}, {ID: "A.02", Verdict: harness.Pass}}}
	for text, want := range map[string]bool{"A.01\tpass\tx\n": true, "A.02\tpass\tx\n": true, "A.01\tinconclusive\tx\n": false} {
		known, err := parseExpected(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := unsettled(e, known); got != want {
			t.Errorf("%q: %t, want %t", text, got, want)
		}
	}
}

// TestUnsettledCheck: a clause that fails by one check may lack the failure of
// another, of which nothing could be told.
func TestUnsettledCheck(t *testing.T) {
	for _, c := range []struct {
		name, expected string
		second         harness.Outcome
		want           bool
	}{
		{"it could not be told", asShown, harness.Inconclusive, true},
		{"it passed", asShown, harness.Pass, false},
		{"it is not known to fail", strings.Replace(asShown, "A.02\tfail\teffects in scope: expected 2 order\n", "", 1), harness.Inconclusive, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			known, err := parseExpected(c.expected)
			if err != nil {
				t.Fatal(err)
			}
			e := shown()
			e.Clauses[1].Checks[1].Verdict = c.second
			if got := unsettled(e, known); got != c.want {
				t.Errorf("unsettled: %t, want %t", got, c.want)
			}
		})
	}
}

func TestParseExpectedRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "# only this\n\n", "holds no verdict"},
		{"no reason", "A.01\tpass\n", "line 1: wants an id, a verdict and a part of the reason"},
		{"an empty reason, which everything says", "A.01\tpass\t\n", "line 1: wants"},
		{"spaces for tabs", "A.01 pass x\n", "line 1: wants"},
		{"an unknown verdict", "A.01\tgreen\tx\n", `line 1: verdict "green"`},
		{"two verdicts", "A.01\tpass\tx\nA.01\tfail\ty\n", "line 2: A.01 is fail here and pass above"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := parseExpected(c.text)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one that says %q", err, c.want)
			}
		})
	}
}

func TestExit(t *testing.T) {
	for text, want := range map[string]int{
		"A.01\tpass\tx\nA.02\tnot-applicable\tx":                harness.ExitGreen,
		"A.01\tpass\tx\nA.02\tinconclusive\tx":                  harness.ExitInconclusive,
		"A.01\tfail\tx\nA.02\tinconclusive\tx\nA.03\tpass\tx\n": harness.ExitFail,
	} {
		known, err := parseExpected(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := exit(known); got != want {
			t.Errorf("%q: exit %d, want %d", text, got, want)
		}
	}
}
