package guard

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// build builds the test binary of a door.
func build(t *testing.T, door string) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), door+".test")
	command(t, "go", "test", "-c", "-o", binary, "github.com/oncecheck/oncecheck/scenarios/"+door)
	return binary
}

// folder returns where a run may leave its evidence.
func folder(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "evidence")
}

// command runs a command that has to succeed.
func command(t *testing.T, argv ...string) {
	t.Helper()
	if code, out := execute(t, argv...); code != 0 {
		t.Fatalf("%s: exit %d\n%s", strings.Join(argv, " "), code, out)
	}
}

// execute runs a command and returns its exit code and
// all that it printed.
func execute(t *testing.T, argv ...string) (int, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, argv[0], argv[1:]...).CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%s: %v", argv[0], err)
	}
	if exit != nil {
		return exit.ExitCode(), string(out)
	}
	return 0, string(out)
}

// expectGreen fails the test unless the command succeeded.
func expectGreen(t *testing.T, argv ...string) string {
	t.Helper()
	code, out := execute(t, argv...)
	if code != 0 {
		t.Errorf("%s: exit %d, want 0\n%s", strings.Join(argv[1:], " "), code, out)
	}
	return out
}

// expectRed fails the test unless the command failed and said each of the words.
func expectRed(t *testing.T, words []string, argv ...string) {
	t.Helper()
	code, out := execute(t, argv...)
	if code == 0 {
		t.Errorf("%s: exit 0, want a failure\n%s", strings.Join(argv[1:], " "), out)
	}
	for _, w := range words {
		if !strings.Contains(out, w) {
			t.Errorf("%s: the output does not say %q\n%s", strings.Join(argv[1:], " "), w, out)
		}
	}
}
