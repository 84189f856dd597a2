package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/rig"
)

// differs is the exit code of a target that is not what it is known to be; 2 is
// left for what kept us from telling.
const differs = 1

func main() {
	var (
		expected = flag.String("expected", "", "`FILE` of the known verdicts")
		out      = flag.String("out", "", "folder `DIR` for the evidence (default: one of its own below ./evidence)")
		binary   = flag.String("oncecheck", filepath.Join("bin", "oncecheck"), "the `BINARY` that tests")
	)
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if *out == "" {
		*out = filepath.Join("evidence", "foreign-"+harness.NewRunID(time.Now()))
	}
	differences, err := try(ctx, *expected, *binary, *out, flag.Args())
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "foreign:", err)
		os.Exit(harness.ExitUsage)
	case len(differences) > 0:
		fmt.Printf("\n%d difference(s) from %s:\n", len(differences), *expected)
		for _, d := range differences {
			fmt.Println("  " + d)
		}
		fmt.Println("If the change is right, correct the file, and say in the commit why.")
		os.Exit(differs)
	}
	fmt.Printf("\nevery verdict is as %s says\n", *expected)
}

// try tests the target that argv serves and returns what differs from the file.
func try(ctx context.Context, expected, binary, out string, argv []string) ([]string, error) {
	known, err := readExpected(expected)
	if err != nil {
		return nil, err
	}
	if len(argv) == 0 {
		return nil, errors.New("name the command that serves the target after --")
	}
	target, err := rig.Launch(ctx, argv...)
	if err != nil {
		return nil, err
	}
	code, err := run(ctx, binary, target.Profile, out)
	if err = errors.Join(err, target.Stop()); err != nil {
		return nil, err
	}
	if code == harness.ExitUsage {
		return nil, fmt.Errorf("%s refused to test the target; it says why above", binary)
	}
	evidence, err := read(out)
	if err != nil {
		return nil, fmt.Errorf("%s exited with %d: %w", binary, code, err)
	}
	differences := compare(evidence, known)
	if want := exit(known); code != want {
		differences = append(differences, fmt.Sprintf("oncecheck exited with %d, expected %d", code, want))
	}
	return differences, nil
}

// run returns the exit code of the test. The seed is fixed, so that two runs
// differ by the target alone.
func run(ctx context.Context, binary, profile, out string) (int, error) {
	cmd := exec.CommandContext(ctx, binary, "run", "--profile", profile, "--out", out, "--seed", "1")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // lets it lift its faults
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.Exited() {
		return exit.ExitCode(), nil
	}
	if err != nil {
		return 0, fmt.Errorf("run %s: %w", binary, err)
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
