package guard

import (
	"net/http"
	"path/filepath"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/reference/checkout"
	"github.com/oncecheck/oncecheck/reference/described"
)

// TestAnswersOfARunAreDescribed replays the answers that a run got from the
// reference through the description that the reference serves: the wire knows
// situations that no test of the service alone makes.
func TestAnswersOfARunAreDescribed(t *testing.T) {
	dir := t.TempDir()
	binary := filepath.Join(dir, "oncecheck")
	command(t, "go", "build", "-o", binary, "github.com/oncecheck/oncecheck/cmd/oncecheck")
	out := folder(t)
	argv := []string{binary, "run", "--out", out}
	for _, pattern := range []string{"interface/**", "redaction/**", "status/codes", "status/other-customer", "status/anonymous", "idempotency/scope-*", "idempotency/conflict-*"} {
		argv = append(argv, "--only", pattern)
	}
	expectGreen(t, argv...)
	document, err := described.New(t.Context(), checkout.OpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(out, "history", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no histories in %s: %v", out, err)
	}
	statuses := map[int]int{}
	for _, file := range files {
		history, err := harness.OpenHistory(file)
		if err != nil {
			t.Fatal(err)
		}
		for e := range history.Events() {
			if e.Type != harness.OK || e.Answer.Outcome != "" || e.Answer.BodyBytes != int64(len(e.Answer.Body)) { // cut off in the history
				continue
			}
			known, err := document.Answer(t.Context(), e.Request.Method, e.Request.Path, e.Answer.Status, http.Header(e.Answer.Header), []byte(e.Answer.Body))
			if err != nil {
				t.Errorf("%s: %s: %v", filepath.Base(file), e, err)
			}
			if known {
				statuses[e.Answer.Status]++
			}
		}
	}
	for _, status := range []int{200, 201, 202, 400, 401, 402, 403, 404, 409, 422, 503} {
		if statuses[status] == 0 {
			t.Errorf("no answer with status %d was held against the description: %v", status, statuses)
		}
	}
}
