package conform

import (
	"flag"
	"testing"

	"github.com/oncecheck/oncecheck/fakes"
	"github.com/oncecheck/oncecheck/scenarios/conform"
)

var profile = flag.String("profile", "oncecheck.yaml", "profile of the target, which must be running")

func TestRetries(t *testing.T) {
	conform.Run(t, conform.Target{Profile: *profile, Fakes: fakes.New})
}
