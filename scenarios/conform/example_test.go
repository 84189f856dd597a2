package conform_test

import (
	"testing"

	"github.com/oncecheck/oncecheck/fakes"
	"github.com/oncecheck/oncecheck/scenarios/conform"
)

// A repository of its own needs one profile and one test. Its target must be
// running, for example started by TestMain.
func ExampleRun() {
	// In a file checkout_test.go:
	//	func TestRetries(t *testing.T) { ... }
	testRetries := func(t *testing.T) {
		conform.Run(t, conform.Target{Profile: "oncecheck.yaml"}, conform.WithEvidence("evidence"))
	}
	_ = testRetries
}

// A target that calls the run, where our fakes answer for its dependencies.
func ExampleRun_fakes() {
	testRetries := func(t *testing.T) {
		conform.Run(t, conform.Target{Profile: "oncecheck.yaml", Fakes: fakes.New})
	}
	_ = testRetries
}
