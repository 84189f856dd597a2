package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// expectation is what is known of one clause or invariant.
type expectation struct {
	verdict harness.Outcome
	because []string // parts of reasons
}

// readExpected reads a file of known verdicts. Lines that begin with # are
// comments.
func readExpected(path string) (map[string]expectation, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the expected verdicts: %w", err)
	}
	known, err := parseExpected(string(data))
	if err != nil {
		return nil, fmt.Errorf("read the expected verdicts of %s: %w", path, err)
	}
	return known, nil
}

func parseExpected(text string) (map[string]expectation, error) {
	known := map[string]expectation{}
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line, "\r\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(line, "\t")
		if len(fields) != 3 || fields[0] == "" || fields[2] == "" {
			return nil, fmt.Errorf("line %d: wants an id, a verdict and a part of the reason, with one tab between: %q", number, line)
		}
		var v harness.Outcome
		if err := v.UnmarshalText([]byte(fields[1])); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		e, again := known[fields[0]]
		if again && e.verdict != v {
			return nil, fmt.Errorf("line %d: %s is %s here and %s above", number, fields[0], v, e.verdict)
		}
		known[fields[0]] = expectation{v, append(e.because, fields[2])}
	}
	if len(known) == 0 {
		return nil, errors.New("it holds no verdict, so nothing could differ from it")
	}
	return known, nil
}

// exit is what a run with these verdicts exits with.
func exit(known map[string]expectation) int {
	code := harness.ExitGreen
	for _, e := range known {
		switch e.verdict {
		case harness.Fail:
			return harness.ExitFail
		case harness.Inconclusive:
			code = harness.ExitInconclusive
		}
	}
	return code
}
