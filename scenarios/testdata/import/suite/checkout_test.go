package suite

import (
	"flag"
	"testing"

	"github.com/onsi/ginkgo/v2"

	"github.com/oncecheck/oncecheck/fakes"
	"github.com/oncecheck/oncecheck/scenarios/suite"
)

var profile = flag.String("profile", "oncecheck.yaml", "profile of the target, which must be running")

func TestRetries(t *testing.T) {
	if err := suite.Register(suite.Options{Profile: *profile, Fakes: fakes.New}); err != nil {
		t.Fatal(err)
	}
	ginkgo.RunSpecs(t, "retries")
}
