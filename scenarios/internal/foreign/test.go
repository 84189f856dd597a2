package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/oncecheck/oncecheck/harness"
)

// test is one test of a target by the binary.
type test struct {
	binary         string
	args           []string // the command, and where the target is
	out            string   // folder for the evidence
	command        []string // that the binary is to start, if there is one
	stdout, stderr io.Writer
}

// finding is what came of a test.
type finding struct {
	differences []string // from what is known
	unsettled   bool     // something could not be told, and should
}

// compare carries the test out and compares what it says with what is known.
func (t test) compare(ctx context.Context, known map[string]expectation) (finding, error) {
	code, err := t.run(ctx)
	if err != nil {
		return finding{}, err
	}
	if code == harness.ExitUsage {
		return finding{}, fmt.Errorf("%s refused to test the target; it says why above", t.binary)
	}
	evidence, err := read(t.out)
	if err != nil {
		return finding{}, fmt.Errorf("%s exited with %d: %w", t.binary, code, err)
	}
	f := finding{compare(evidence, known), unsettled(evidence, known)}
	if want := exit(known); code != want {
		f.differences = append(f.differences, fmt.Sprintf("oncecheck exited with %d, expected %d", code, want))
	}
	return f, nil
}

// run returns the exit code of the test. The seed is fixed, so that two runs
// differ by the target alone.
func (t test) run(ctx context.Context) (int, error) {
	args := append(append([]string{}, t.args...), "--out", t.out, "--seed", "1")
	if len(t.command) > 0 {
		args = append(append(args, "--"), t.command...)
	}
	cmd := exec.CommandContext(ctx, t.binary, args...)
	cmd.Stdout, cmd.Stderr = t.stdout, t.stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // lets it lift its faults
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.Exited() {
		return exit.ExitCode(), nil
	}
	if err != nil {
		return 0, fmt.Errorf("run %s: %w", t.binary, err)
	}
	return 0, nil
}

func read(dir string) (harness.Evidence, error) {
	var e harness.Evidence
	data, err := os.ReadFile(filepath.Join(dir, "evidence.json"))
	if err != nil {
		return e, fmt.Errorf("read the evidence: %w", err)
	}
	if err := json.Unmarshal(data, &e); err != nil {
		return e, fmt.Errorf("read the evidence in %s: %w", dir, err)
	}
	if e.Schema != harness.EvidenceSchema {
		return e, fmt.Errorf("read the evidence in %s: its schema is %q, expected %q", dir, e.Schema, harness.EvidenceSchema)
	}
	return e, nil
}
