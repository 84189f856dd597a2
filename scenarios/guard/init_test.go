package guard

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/profile"
	"github.com/oncecheck/oncecheck/harness/rig"
	"github.com/oncecheck/oncecheck/reports"
)

// firstClauses are those that a profile written by init has to lead to.
func firstClauses() []harness.ClauseID {
	return []harness.ClauseID{
		"SRS-CHK-001.03", "SRS-CHK-001.04", "SRS-CHK-001.09", "SRS-CHK-001.10", "SRS-CHK-001.17", "SRS-CHK-001.18", "SRS-CHK-001.26", "SRS-CHK-001.27",
		"SRS-CHK-001.29", "SRS-CHK-001.32", "SRS-CHK-001.34", "SRS-CHK-001.42", "SRS-CHK-001.44", "SRS-CHK-001.45",
		"SRS-CHK-002.01", "SRS-CHK-002.02", "SRS-CHK-002.03", "SRS-CHK-002.04", "SRS-CHK-002.24", "SRS-CHK-002.26",
		"SRS-CHK-003.01", "SRS-CHK-003.07", "SRS-CHK-003.08",
	}
}

// TestAProfileOfInitLeadsToTheFirstClauses does what the comments of the written
// profile say, and nothing else: it takes the marks of the templates away,
// replaces the words in capitals, and puts the tokens into the environment.
func TestAProfileOfInitLeadsToTheFirstClauses(t *testing.T) {
	oncecheck := filepath.Join(t.TempDir(), "oncecheck")
	command(t, "go", "build", "-o", oncecheck, "github.com/oncecheck/oncecheck/cmd/oncecheck")
	served, err := rig.Launch(t.Context(), oncecheck, "serve", "--write-profile", "{profile}", "--until-stdin-closes")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := served.Stop(); err != nil {
			t.Error(err)
		}
	})
	p, err := profile.Load(served.Profile)
	if err != nil {
		t.Fatal(err)
	}
	for name, principal := range p.Principals {
		_, token, _ := strings.Cut(principal.Header["Authorization"], " ")
		t.Setenv(strings.ToUpper(name)+"_TOKEN", token)
	}
	file := filepath.Join(t.TempDir(), "profile.yaml")
	expectGreen(t, oncecheck, "init", "--url", p.Target.URL, "--token", os.Getenv("ALICE_TOKEN"), "-o", file)
	fillIn(t, file, p)
	expectGreen(t, oncecheck, "doctor", "--profile", file, "--send")

	out := folder(t)
	expectGreen(t, oncecheck, "run", "--profile", file, "--out", out, "--seed", "1")
	e, err := reports.Read(out)
	if err != nil {
		t.Fatal(err)
	}
	verdicts := map[harness.ClauseID]harness.ClauseResult{}
	for _, c := range e.Clauses {
		verdicts[c.ID] = c
	}
	for _, id := range firstClauses() {
		if c := verdicts[id]; c.Verdict != harness.Pass {
			t.Errorf("%s: %s (%s), want pass", id, c.Verdict, c.Reason)
		}
	}
}

// fillIn edits the profile as its comments say.
func fillIn(t *testing.T, file string, served *profile.Profile) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	ledger, err := url.Parse(served.Effects.HTTP.URL)
	if err != nil {
		t.Fatal(err)
	}
	ledger.RawQuery = ""
	text := regexp.MustCompile(`(?m)^#: `).ReplaceAllString(string(data), "")
	// For oncecheck serve, attach takes the place of listen and upstream.
	text = regexp.MustCompile(`(?m)^    listen: .*\n`).ReplaceAllString(text, "")
	text = regexp.MustCompile(`(?m)^    upstream: .*$`).ReplaceAllString(text, `    attach: "CONTROL_URL/attach"`)
	text = strings.NewReplacer("LEDGER_URL", ledger.String(), "CONTROL_URL", served.Control.HTTP, "TOKEN_THAT_IS_DECLINED", "tok_declined").Replace(text)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
