package reports

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

// knownEvidence is the fixture with its one failure known, and a list of known
// failures in which not all is well.
func knownEvidence() harness.Evidence {
	e := fixtureEvidence()
	k := &harness.Known{Reason: "the lock <b>is taken late</b>", Link: "https://tracker.example/PAY-1", Owner: "payments", Expires: "2026-04-13"}
	c := &e.Clauses[3]
	c.Known, c.Checks[1].Known = k, k
	e.Invariants[0].Known, e.Invariants[0].Checks[0].Known = k, k
	e.Totals.Known = 1
	e.Known = []harness.KnownResult{
		{KnownFailure: harness.KnownFailure{Check: "at-most-once-effect@payment/lost-answer", Known: *k}, Failed: true},
		{KnownFailure: harness.KnownFailure{Clause: "SRS-CHK-001.14", Known: *k}, Counts: true, Text: "known failure SRS-CHK-001.14 passed: remove it (owner payments, https://tracker.example/PAY-2)"},
		{KnownFailure: harness.KnownFailure{Clause: "SRS-RES-002.01", Known: *k}, Text: "known failure SRS-RES-002.01 was not judged: this run selects only some scenarios"},
	}
	return e
}

func TestKnownFailuresAreShownApart(t *testing.T) {
	for name, to := range map[string]func(io.Writer, harness.Evidence) error{
		"summary":  func(w io.Writer, e harness.Evidence) error { return Summary(w, e, "", false) },
		"markdown": Markdown, "html": func(w io.Writer, e harness.Evidence) error { return HTML(w, e, openFixture) }, "junit": JUnit,
	} {
		var b bytes.Buffer
		if err := to(&b, knownEvidence()); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		text := b.String()
		for _, want := range []string{"owner payments", "2026-04-13", "tracker.example/PAY-1", "SRS-CHK-001.14 passed: remove it", "SRS-RES-002.01 was not judged"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not say %q", name, want)
			}
		}
		if name == "html" && strings.Contains(text, "<b>is taken late") {
			t.Error("the reason is not escaped")
		}
		if failures := map[string]string{"markdown": "## Failures", "html": `id="failures"`, "summary": "✗ fail "}[name]; failures != "" && strings.Contains(text, failures) {
			t.Errorf("%s lists the known failure among the others", name)
		}
	}
}

func TestAKnownFailureIsSkippedInJUnit(t *testing.T) {
	suites := readJUnit(t, knownEvidence())
	status := map[string]string{}
	for _, s := range suites {
		for _, c := range s.Tests {
			status[c.Classname+" "+c.Name] = string(c.Status)
		}
	}
	for name, want := range map[string]string{
		"SRS-CHK-001.44 at-most-once-effect @ payment/lost-answer": "skipped",
		"I1 at-most-once-effect @ payment/lost-answer":             "skipped",
		"SRS-CHK-001.14 known failure still fails":                 "failed",
		"SRS-RES-002.01 known failure still fails":                 "skipped",
	} {
		if status[name] != want {
			t.Errorf("%s: %q, want %q", name, status[name], want)
		}
	}
}

// A failure that is known in a clause and not in an invariant is both.
func TestAFailureThatIsKnownInPart(t *testing.T) {
	e := knownEvidence()
	e.Invariants[0].Known, e.Invariants[0].Checks[0].Known = nil, nil
	open, known := findings(e, harness.Fail), knownFindings(e)
	if len(open) != 1 || len(open[0].Invariants) != 1 || len(open[0].Clauses) != 0 || len(known) != 1 || len(known[0].Clauses) != 1 {
		t.Errorf("open %+v\nknown %+v", open, known)
	}
}

func TestStandingWithKnownFailures(t *testing.T) {
	k := &harness.Known{}
	run := harness.RunInfo{Control: harness.Passed("ok")}
	known := harness.ClauseResult{Verdict: harness.Fail, Known: k}
	pass := harness.ClauseResult{Verdict: harness.Pass}
	hidden := known
	hidden.Checks = []harness.CheckResult{{Verdict: harness.Fail, Known: k}, {Verdict: harness.Inconclusive}}
	for name, row := range map[string]struct {
		e    harness.Evidence
		want string
	}{
		"only known":            {harness.Evidence{Run: run, Clauses: []harness.ClauseResult{pass, known}}, "Only known failures"},
		"another besides":       {harness.Evidence{Run: run, Clauses: []harness.ClauseResult{known, {Verdict: harness.Fail}}}, "Failures found"},
		"something is open":     {harness.Evidence{Run: run, Clauses: []harness.ClauseResult{known, {Verdict: harness.Inconclusive}}}, "Inconclusive"},
		"open behind the known": {harness.Evidence{Run: run, Clauses: []harness.ClauseResult{pass, hidden}}, "Inconclusive"},
		"the list is stale":     {harness.Evidence{Run: run, Clauses: []harness.ClauseResult{pass}, Known: []harness.KnownResult{{Counts: true}}}, "Failures found"},
		"it failed as known":    {harness.Evidence{Run: run, Clauses: []harness.ClauseResult{pass}, Known: []harness.KnownResult{{Failed: true}}}, "Nothing failed"},
	} {
		if got, _ := standing(row.e); got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}
