package known

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

const whole = `# what we know of
- clause: SRS-CHK-001.44
  reason: the lock is taken after the charge
  link: https://tracker.example/PAY-1
  owner: payments
  expires: 2026-04-13
- {check: "at-most-once-effect@payment/lost-answer", reason: "see above", link: "https://tracker.example/PAY-1", owner: 42, expires: "2026-04-13"}
`

func TestParse(t *testing.T) {
	got, err := Parse("known.yaml", []byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	want := []harness.KnownFailure{
		{Clause: "SRS-CHK-001.44", Known: harness.Known{Reason: "the lock is taken after the charge", Link: "https://tracker.example/PAY-1", Owner: "payments", Expires: "2026-04-13"}},
		{Check: "at-most-once-effect@payment/lost-answer", Known: harness.Known{Reason: "see above", Link: "https://tracker.example/PAY-1", Owner: "42", Expires: "2026-04-13"}},
	}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("got %+v", got)
	}
	for _, empty := range []string{"", "# nothing is known\n", "[]\n"} {
		if got, err := Parse("known.yaml", []byte(empty)); err != nil || len(got) != 0 {
			t.Errorf("%q: %v, %v", empty, got, err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	const rest = ", reason: r, link: \"https://x/1\", owner: o, expires: 2026-04-13}"
	for text, says := range map[string]string{
		"clause: C.1":                        "known.yaml:1: expected a list",
		"- C.1":                              "expected an entry with clause, check, reason",
		"- {clause: C.1, ownr: o" + rest:     `unknown key "ownr"`,
		"- {clause: C.1, clause: C.2" + rest: "clause is given twice",
		"- {reason: r, link: \"https://x\", owner: o, expires: 2026-04-13}":                                     "either a clause or a check",
		"- {clause: C.1, check: a@b" + rest:                                                                     "either a clause or a check",
		"- {check: a" + rest:                                                                                    "not of the form name@scenario",
		"- {check: \"@b\"" + rest:                                                                               "not of the form name@scenario",
		"- {clause: C.1" + rest + "\n- {clause: C.1" + rest:                                                     "known.yaml:2: C.1 is listed twice",
		"- {clause: C.1, link: \"https://x\", owner: o, expires: 2026-04-13}":                                   "C.1: reason is required",
		"- {clause: C.1, reason: \"  \", link: \"https://x\", owner: o, expires: 2026-04-13}":                   "C.1: reason is required",
		"- {clause: C.1, reason: r, owner: o, expires: 2026-04-13}":                                             "C.1: link is required",
		"- {clause: C.1, reason: r, link: PAY-1, owner: o, expires: 2026-04-13}":                                "no absolute http or https URL",
		"- {clause: C.1, reason: r, link: \"https://x\", expires: 2026-04-13}":                                  "C.1: owner is required",
		"- {clause: C.1, reason: r, link: \"https://x\", owner: o}":                                             "C.1: expires is required",
		"- {clause: C.1, reason: r, link: \"https://x\", owner: o, expires: tomorrow}":                          "no date of the form",
		"- {clause: C.1, reason: r, link: \"https://x\", owner: o, expires: 2026-02-30}":                        "no date of the form",
		"- {clause: C.1, reason: r, link: \"https://x\", owner: \"<who answers for it>\", expires: 2026-04-13}": "still the blank <who answers for it>",
		"- {clause: C.1, reason: [r], link: \"https://x\", owner: o, expires: 2026-04-13}":                      "reason has to be text",
		"- {clause: C.1, reason: null, link: \"https://x\", owner: o, expires: 2026-04-13}":                     "reason has to be text",
		"- {clause: C.1, reason: &a r, link: \"https://x\", owner: o, expires: 2026-04-13}":                     "reason has to be text",
		"- {clause: !!str C.1" + rest:                                                                           "clause has to be text",
		"- [":                                                                                                   "not YAML",
		"[]\n---\n[]\n":                                                                                         "second document",
		strings.Repeat("[", 100):                                                                                "nested deeper",
		strings.Repeat("#", maxFile+1):                                                                          "larger than",
	} {
		_, err := Parse("known.yaml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%.80s: %v, want %q", text, err, says)
		}
	}
}

func TestLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "known.yaml")
	if _, err := Load(path); err == nil || !strings.Contains(err.Error(), "read the known failures") {
		t.Errorf("no file: %v", err)
	}
	if err := os.WriteFile(path, []byte(whole), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := Load(path); err != nil || len(got) != 2 {
		t.Errorf("%v, %v", got, err)
	}
}

// What is suggested is one entry for each failure, is refused as it is, and
// accepted once its blanks are filled in.
func TestSuggest(t *testing.T) {
	k := &harness.Known{}
	bad := harness.CheckResult{Name: "a", Scenario: "s/\"x\"", Verdict: harness.Fail}
	e := harness.Evidence{
		Clauses: []harness.ClauseResult{
			{ID: "C.1", Verdict: harness.Fail, Checks: []harness.CheckResult{bad, {Name: "fine", Scenario: "s", Verdict: harness.Pass}}},
			{ID: "C.2", Verdict: harness.Fail, Checks: []harness.CheckResult{{Name: "known", Scenario: "s", Verdict: harness.Fail, Known: k}}, Known: k},
			{ID: "C.3", Verdict: harness.Fail},
			{ID: "C.4", Verdict: harness.Inconclusive, Checks: []harness.CheckResult{{Name: "open", Scenario: "s"}}},
		},
		Invariants: []harness.InvariantResult{{ID: "I1", Verdict: harness.Fail, Checks: []harness.CheckResult{bad, {Name: "b", Scenario: "s", Verdict: harness.Fail}}}},
	}
	lines := Suggest(e, time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC))
	text := strings.Join(lines, "\n")
	if len(lines) != 3 || strings.Count(text, "expires: 2026-04-13") != 3 {
		t.Fatalf("suggested:\n%s", text)
	}
	if _, err := Parse("known.yaml", []byte(text)); err == nil || strings.Count(err.Error(), "still the blank") != 9 {
		t.Errorf("as it is: %v", err)
	}
	filled := strings.NewReplacer("<https://...>", "https://x/1", "<why it is accepted for now>", "r", "<who answers for it>", "o").Replace(text)
	got, err := Parse("known.yaml", []byte(filled))
	if err != nil || len(got) != 3 || got[0].Check != "a@s/\"x\"" || got[1].Clause != "C.3" || got[2].Check != "b@s" {
		t.Errorf("filled in: %+v, %v", got, err)
	}
}

// Parse must end with an error or with entries that say all that is asked.
func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte("- {clause: &a x, check: *a}"))
	f.Add([]byte("- clause: |\n   x\n"))
	f.Add([]byte("- ? [a]\n  : b\n"))
	f.Add([]byte("- <<: {clause: x}\n"))
	f.Add([]byte(strings.Repeat("- ", 1000)))
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, err := Parse("known.yaml", data)
		if err != nil && len(entries) > 0 {
			t.Fatal("an error, and entries besides")
		}
		for _, k := range entries {
			if k.String() == "" || k.Reason == "" || k.Link == "" || k.Owner == "" || !isDate(k.Expires) {
				t.Fatalf("an entry that says too little was accepted: %+v", k)
			}
		}
	})
}
