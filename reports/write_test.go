package reports

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

func TestWriteLeavesAllFilesAndAManifestThatHolds(t *testing.T) {
	dir, e := fixtureDir(t), fixtureEvidence()
	if err := Write(dir, e, nil); err != nil {
		t.Fatal(err)
	}
	files, err := Manifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, f.Path)
	}
	want := "created.json evidence.json evidence.schema.json history/client.cuts.jsonl history/gateway.slow-inventory.jsonl history/idempotency.concurrent-replay.jsonl history/payment.lost-answer.jsonl junit.xml plan.json report.html report.md"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("files:\n%s\nwant:\n%s", got, want)
	}
	if d, err := VerifyManifest(dir); err != nil || len(d) > 0 {
		t.Errorf("fresh folder: %v, %v", d, err)
	}
	back, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(AsWritten(back), AsWritten(withoutWitnessSeq(e))) {
		t.Error("the evidence read back is not the evidence written")
	}
}

// withoutWitnessSeq clears what JSON does not carry by design: the raw
// witnesses of the control's verdict.
func withoutWitnessSeq(e harness.Evidence) harness.Evidence {
	e.Run.Control.Witness = nil
	return e
}

func TestWriteHonoursFormats(t *testing.T) {
	dir := fixtureDir(t)
	if err := Write(dir, fixtureEvidence(), []string{"md"}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"evidence.json": true, "evidence.schema.json": true, "report.md": true, "manifest.json": true, "report.html": false, "junit.xml": false} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != want {
			t.Errorf("%s: present %v, want %v", name, err == nil, want)
		}
	}
	if err := Write(dir, fixtureEvidence(), []string{"pdf"}); err == nil || !strings.Contains(err.Error(), "json, html, markdown, junit") {
		t.Errorf("an unknown format: %v", err)
	}
	if err := Write(dir, harness.Evidence{}, nil); err == nil {
		t.Error("evidence without a schema was written")
	}
}

func TestRenderingDoesNotChangeTheEvidence(t *testing.T) {
	dir, e := fixtureDir(t), fixtureEvidence()
	if err := Write(dir, e, nil); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(e, fixtureEvidence()) {
		t.Error("a renderer changed the evidence it was given")
	}
}

func TestEvidenceListsAreNeverNull(t *testing.T) {
	dir := t.TempDir()
	e := harness.Evidence{Schema: harness.EvidenceSchema, Scenarios: []harness.ScenarioResult{{}}, Clauses: []harness.ClauseResult{{Checks: []harness.CheckResult{{}}}}, Invariants: []harness.InvariantResult{{}}}
	if err := Write(dir, e, []string{"json"}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, EvidenceFile))
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"scenarios", "clauses", "invariants", "nfrs", "notProven", "effects"} {
		if m[key] == nil {
			t.Errorf("%s is null", key)
		}
	}
	for _, needle := range []string{`"checks": null`, `"faults": null`, `"witness": null`, `"capabilities": null`} {
		if strings.Contains(string(data), needle) {
			t.Errorf("the evidence contains %s", needle)
		}
	}
}

func TestVerifyManifestNoticesEveryChange(t *testing.T) {
	for name, c := range map[string]struct {
		change func(t *testing.T, dir string)
		want   string
	}{
		"a flipped byte":    {func(t *testing.T, dir string) { flip(t, filepath.Join(dir, "report.html")) }, "report.html: changed: its SHA-256"},
		"a flipped history": {func(t *testing.T, dir string) { flip(t, filepath.Join(dir, "history", "client.cuts.jsonl")) }, "history/client.cuts.jsonl: changed"},
		"a longer file": {func(t *testing.T, dir string) {
			data, _ := os.ReadFile(filepath.Join(dir, "report.md"))
			put(t, filepath.Join(dir, "report.md"), string(data)+"!")
		}, "report.md: changed: "},
		"a missing file": {func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, "history", "client.cuts.jsonl")); err != nil {
				t.Fatal(err)
			}
		}, "history/client.cuts.jsonl: missing"},
		"an added file": {func(t *testing.T, dir string) { put(t, filepath.Join(dir, "history", "more.jsonl"), "{}") }, "history/more.jsonl: added"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := fixtureDir(t)
			if err := Write(dir, fixtureEvidence(), nil); err != nil {
				t.Fatal(err)
			}
			c.change(t, dir)
			d, err := VerifyManifest(dir)
			if err != nil || len(d) != 1 || !strings.HasPrefix(d[0].String(), c.want) {
				t.Errorf("differences %v, error %v; want one that begins %q", d, err, c.want)
			}
		})
	}
}

func TestVerifyManifestRefusesWhatItCannotTrust(t *testing.T) {
	dir := fixtureDir(t)
	if _, err := VerifyManifest(dir); err == nil {
		t.Error("a folder without manifest was accepted")
	}
	for name, text := range map[string]string{
		"unknown field":  `{"schema":"oncecheck/manifest/v1","files":[],"extra":1}`,
		"other schema":   `{"schema":"oncecheck/manifest/v9","files":[]}`,
		"text after":     `{"schema":"oncecheck/manifest/v1","files":[]} {}`,
		"listed twice":   `{"schema":"oncecheck/manifest/v1","files":[{"path":"a"},{"path":"a"}]}`,
		"not JSON":       `{`,
		"unsorted files": `{"schema":"oncecheck/manifest/v1","files":[{"path":"b"},{"path":"a"}]}`,
	} {
		put(t, filepath.Join(dir, ManifestFile), text)
		if _, err := VerifyManifest(dir); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if err := os.Remove(filepath.Join(dir, ManifestFile)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/hostname", filepath.Join(dir, "link")); err != nil {
		t.Skip("no symbolic links here")
	}
	if _, err := Manifest(dir); err == nil || !strings.Contains(err.Error(), "link is not a regular file") {
		t.Errorf("a symbolic link: %v", err)
	}
}

func TestReadSaysWhatIsWrong(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"broken":         {"{\n\"schema\": \"oncecheck/evidence/v1\",\n!", "line 3"},
		"other schema":   {`{"schema":"oncecheck/evidence/v9"}`, `schema "oncecheck/evidence/v9" is unknown here`},
		"unknown word":   {`{"schema":"oncecheck/evidence/v1","clauses":[{"verdict":"green"}]}`, `verdict "green" is none of`},
		"wrong type":     {"{\"schema\":\"oncecheck/evidence/v1\",\n\"totals\":[]}", "line 2"},
		"nothing judged": {`{"schema":"oncecheck/evidence/v1","run":{"id":"r"},"clauses":[]}`, "not complete"},
		"text after":     {`{"schema":"oncecheck/evidence/v1"} x`, "line 1"},
	} {
		dir := t.TempDir()
		put(t, filepath.Join(dir, EvidenceFile), c.text)
		if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q in it", name, err, c.want)
		}
	}
	if _, err := Read(t.TempDir()); err == nil || !strings.Contains(err.Error(), "is not the folder of a finished run") {
		t.Errorf("an empty folder: %v", err)
	}
}

func TestHistoriesStayInTheirFolder(t *testing.T) {
	open := HistoriesIn(t.TempDir())
	for _, path := range []string{"../secret", "/etc/passwd", "history/../../x", ""} {
		if _, err := open(path); err == nil || !strings.Contains(err.Error(), "outside") {
			t.Errorf("%q: %v", path, err)
		}
	}
}

func flip(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	put(t, path, string(data))
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
