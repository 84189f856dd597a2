package conform_test

import (
	"flag"
	"testing"

	"github.com/oncecheck/oncecheck/fakes"
	"github.com/oncecheck/oncecheck/scenarios/conform"
)

// Flags and no environment: go test would answer from its cache although a
// variable changed.
var (
	profilePath = flag.String("profile", "", "profile of the target")
	outFolder   = flag.String("out", "", "folder for the evidence; without it among the artifacts of the test")
)

// TestTarget is the door as a foreign repository would open it. The tests of
// package guard run it against targets of their own.
func TestTarget(t *testing.T) {
	if *profilePath == "" {
		t.Skip("no target: go test ./scenarios/conform -args -profile=FILE")
	}
	conform.Run(t, conform.Target{Profile: *profilePath, Fakes: fakes.New}, conform.WithEvidence(*outFolder))
}
