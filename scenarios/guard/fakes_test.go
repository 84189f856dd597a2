package guard

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/fakes"
	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/profile"
	"github.com/oncecheck/oncecheck/harness/rig"
	"github.com/oncecheck/oncecheck/reports"
	"github.com/oncecheck/oncecheck/scenarios/door"
)

// calling launches the reference as a target that calls fixed addresses, and
// returns a profile by which our fakes answer there, in the place of the
// reference's own world, and the URL of the ledger of that world.
func calling(t *testing.T, oncecheck string, flags ...string) (path, ownLedger string) {
	t.Helper()
	argv := append([]string{oncecheck, "serve", "--listen-dependencies", "--write-profile", "{profile}", "--until-stdin-closes"}, flags...)
	served, err := rig.Launch(t.Context(), argv...)
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
	data, err := os.ReadFile(served.Profile)
	if err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile(`upstream: .*`).ReplaceAllString(string(data), "fake: provider")
	text = regexp.MustCompile(`(?m)^  http:\n    url: .*\n    jq: .*\n`).ReplaceAllString(text, "")
	path = filepath.Join(t.TempDir(), "profile.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path, strings.ReplaceAll(p.Effects.HTTP.URL, "{{since}}", "0")
}

// TestOurFakesAnswerThroughBothDoors: a target that calls us is tried from a
// test as from the command line, and what it did is counted in our own ledger.
func TestOurFakesAnswerThroughBothDoors(t *testing.T) {
	conform, oncecheck := build(t, "conform"), filepath.Join(t.TempDir(), "oncecheck")
	command(t, "go", "build", "-o", oncecheck, "github.com/oncecheck/oncecheck/cmd/oncecheck")
	target, ownLedger := calling(t, oncecheck)

	t.Run("conform", func(t *testing.T) {
		out := folder(t)
		expectGreen(t, conform, "-profile="+target, "-out="+out, "-test.run=TestTarget/(idempotency|retry)/(replay-success|reset)")
		checkCounted(t, out, "idempotency/replay-success", "retry/reset")
	})
	t.Run("suite", func(t *testing.T) {
		out, suite := folder(t), build(t, "suite")
		expectGreen(t, suite, "-profile="+target, "-out="+out, "-ginkgo.focus=idempotency/replay-success")
		checkCounted(t, out, "idempotency/replay-success")

		ginkgo := filepath.Join(t.TempDir(), "ginkgo")
		command(t, "go", "build", "-o", ginkgo, "github.com/onsi/ginkgo/v2/ginkgo")
		expectRed(t, []string{"2 processes cannot share the target", "what our fake did there only that one knows", "-procs=1"},
			ginkgo, "-procs=2", suite, "--", "-profile="+target, "-out="+folder(t))
	})
	if entries := get(t, ownLedger); !strings.Contains(entries, `"entries":[]`) {
		t.Errorf("the target called its own world, not our fakes: %s", entries)
	}
	t.Run("a mutant", func(t *testing.T) {
		broken, _ := calling(t, oncecheck, "--mutant", "replay-reexecutes")
		expectRed(t, []string{"one-effect-of-each-kind", "expected", "observed", "1 charge", "11 charge"},
			conform, "-profile="+broken, "-out="+folder(t), "-test.run=TestTarget/idempotency/replay-success")
	})
	t.Run("a test that brings none", func(t *testing.T) {
		_, err := door.Begin(t.Context(), door.Options{Profile: target, Dir: folder(t)})
		expectError(t, err, "dependencies.bank", `import "github.com/oncecheck/oncecheck/fakes"`, `"Fakes: fakes.New"`, "oncecheck run --profile FILE")
	})
	t.Run("a second run beside the first", func(t *testing.T) {
		o := door.Options{Profile: target, Dir: folder(t), Fakes: fakes.New}
		run, err := door.Begin(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		_, err = door.Join(t.Context(), o)
		expectError(t, err, "dependencies.bank: listen on", "another run of this profile?")
		if err := run.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// expectError fails the test unless there is an error that says all the words.
func expectError(t *testing.T, err error, words ...string) {
	t.Helper()
	for _, w := range words {
		if err == nil || !strings.Contains(err.Error(), w) {
			t.Errorf("got %v, want %q", err, w)
		}
	}
}

// checkCounted makes sure that the scenarios passed by effects that were seen.
func checkCounted(t *testing.T, dir string, passed ...string) {
	t.Helper()
	e, err := reports.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if c := e.Run.Control; c.Outcome != harness.Pass || !strings.Contains(c.Reason, "3 charge, 3 order, 3 reservation") {
		t.Errorf("the positive control counted nothing: %+v", c)
	}
	verdicts := map[string]harness.Outcome{}
	for _, s := range e.Scenarios {
		verdicts[s.ID] = s.Verdict
	}
	for _, id := range passed {
		if verdicts[id] != harness.Pass {
			t.Errorf("%s: %s, want pass", id, verdicts[id])
		}
	}
	for _, kind := range []string{"charge", "reservation", "order"} {
		got := e.Effects[kind]
		if got.Observed < len(passed) || got.Observed != got.Expected || got.Duplicates+got.Orphans != 0 {
			t.Errorf("%s: %+v, want as many as expected, and one for each scenario at least", kind, got)
		}
	}
}

func get(t *testing.T, url string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
