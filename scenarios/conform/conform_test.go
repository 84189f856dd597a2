package conform_test

import (
	"flag"
	"testing"

	"github.com/oncecheck/oncecheck/scenarios/conform"
)

// A flag and no environment: go test would answer from its cache although a
// variable changed.
var profilePath = flag.String("profile", "", "profile of the target")

// TestTarget is the door as a foreign repository would open it. The tests of
// package guard run it against targets of their own.
func TestTarget(t *testing.T) {
	if *profilePath == "" {
		t.Skip("no target: go test ./scenarios/conform -args -profile=FILE")
	}
	conform.Run(t, conform.Target{Profile: *profilePath})
}
