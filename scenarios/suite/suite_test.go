package suite_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/onsi/ginkgo/v2"

	"github.com/oncecheck/oncecheck/fakes"
	"github.com/oncecheck/oncecheck/scenarios/suite"
)

// Flags and no environment: go test would answer from its cache although a
// variable changed.
var (
	profilePath = flag.String("profile", "", "profile of the target; without it the embedded reference is served")
	outFolder   = flag.String("out", "", "folder for the evidence; without it a temporary one, kept if something failed")
	allowHosts  = flag.String("allow-host", "", "hosts off this machine that may be driven, with commas between")
)

func TestSuite(t *testing.T) {
	o := suite.Options{Profile: *profilePath, Out: *outFolder, Fakes: fakes.New, Serve: serveReference, Scaled: scaledReference, Repeat: "oncecheck run"}
	if *allowHosts != "" {
		o.AllowHosts = strings.Split(*allowHosts, ",")
	}
	if err := suite.Register(o); err != nil {
		t.Fatal(err)
	}
	_, reporter := ginkgo.GinkgoConfiguration()
	reporter.NoColor = reporter.NoColor || !terminal()
	ginkgo.RunSpecs(t, "oncecheck", reporter)
}

// terminal reports whether somebody watches; go test itself reads from a pipe.
func terminal() bool {
	info, err := os.Stdout.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// scaledReference serves the reference with its times divided.
func scaledReference(argv []string, by float64) []string {
	return append(slices.Clone(argv), "--policy", fmt.Sprint("scaled:", by))
}

// serveReference builds the command that serves the embedded reference.
func serveReference(ctx context.Context, dir string) ([]string, error) {
	binary := filepath.Join(dir, "oncecheck")
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, "github.com/oncecheck/oncecheck/cmd/oncecheck")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build the reference: %w\n%s", err, out)
	}
	return []string{binary, "serve", "--write-profile", "{profile}", "--until-stdin-closes"}, nil
}
