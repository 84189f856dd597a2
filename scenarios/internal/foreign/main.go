package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
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
		clients  = flag.Bool("clients", false, "each command serves the shim of an HTTP client")
		expected = flag.String("expected", "", "`FILE` of the known verdicts; with -clients the folder of the files")
		out      = flag.String("out", "", "folder `DIR` for the evidence (default: one of its own below ./evidence)")
		binary   = flag.String("oncecheck", filepath.Join("bin", "oncecheck"), "the `BINARY` that tests")
	)
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if *out == "" {
		*out = filepath.Join("evidence", "foreign-"+harness.NewRunID(time.Now()))
	}
	var differences []string
	var err error
	if *clients {
		differences, err = tryClients(ctx, *expected, *binary, *out, flag.Args())
	} else {
		differences, err = try(ctx, *expected, *binary, *out, flag.Args())
	}
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
	test := test{binary: binary, args: []string{"run", "--profile", target.Profile}, out: out, stdout: os.Stdout, stderr: os.Stderr}
	found, err := test.compare(ctx, known)
	return found.differences, errors.Join(err, target.Stop())
}
