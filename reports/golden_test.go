package reports

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares got with a file of testdata, or writes it with -update.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs from what is rendered now, first at line %d; if that is meant: go test ./reports -update", path, firstDifference(got, string(want)))
	}
}

func firstDifference(a, b string) int {
	left, right := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(left), len(right)) {
		if left[i] != right[i] {
			return i + 1
		}
	}
	return min(len(left), len(right)) + 1
}

func render(t *testing.T, to func(io.Writer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := to(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestRendererGolden(t *testing.T) {
	e := fixtureEvidence()
	golden(t, "report.md", render(t, func(w io.Writer) error { return Markdown(w, e) }))
	golden(t, "junit.xml", render(t, func(w io.Writer) error { return JUnit(w, e) }))
	golden(t, "summary.txt", render(t, func(w io.Writer) error { return Summary(w, e, "evidence/run-1", false) }))
}

func TestPictureGolden(t *testing.T) {
	e := fixtureEvidence()
	for _, v := range scenarioViews(e, openFixture) {
		for _, p := range v.Pictures {
			name := strings.ReplaceAll(v.ID, "/", ".") + "." + p.Label + ".svg"
			golden(t, name, strings.ReplaceAll(string(p.SVG), "><", ">\n<")+"\n")
		}
	}
}

func TestSummaryWithoutColorHasNoEscapeSequence(t *testing.T) {
	e := fixtureEvidence()
	e.Clauses[3].Checks[1].Observed = "\x1b[2Jnothing to see"
	if plain := render(t, func(w io.Writer) error { return Summary(w, e, "", false) }); strings.Contains(plain, "\x1b") {
		t.Error("the plain summary contains an escape character")
	}
	colored := render(t, func(w io.Writer) error { return Summary(w, e, "", true) })
	if strings.Contains(colored, "\x1b[2J") || !strings.Contains(colored, "\x1b[1;31m") {
		t.Error("the coloured summary lets the target's escape through, or has no colour of its own")
	}
}

func TestInconclusiveForOneReasonIsOneFinding(t *testing.T) {
	e := harness.Evidence{Run: harness.RunInfo{Control: harness.Undecided("the probe saw nothing")}}
	for _, id := range []harness.ClauseID{"A.1", "A.2", "B.1"} {
		e.Clauses = append(e.Clauses, harness.ClauseResult{ID: id, Verdict: harness.Inconclusive, Reason: "the positive control failed"})
	}
	list := findings(e, harness.Inconclusive)
	if len(list) != 1 || len(list[0].Clauses) != 3 {
		t.Errorf("findings = %d with %v clauses, want 1 with 3", len(list), list)
	}
}
