package suite

import (
	"context"
	"encoding/json"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/scenarios"
)

// Options say which target the suite tries. Either Profile or Serve is set.
type Options struct {
	// Profile is the path of the target's profile.
	Profile string
	// Serve returns the command that serves a target, as [rig.Launch] wants it.
	// It is called once; dir is a folder for what it builds and lives as long as
	// the suite. The command may be started several times: what disturbs a target is
	// tried on twins of it.
	Serve func(ctx context.Context, dir string) (argv []string, err error)
	// Scaled makes of the command that serves the target one that serves it with all
	// its times divided by a number: what takes too long otherwise is tried on that.
	// Nil: it is skipped.
	Scaled func(argv []string, by float64) []string
	// Repeat is the command that tries the served target again; the seed is
	// added. It is not needed with a profile.
	Repeat string
	// Out is the run folder. Empty: a temporary one, which is printed, and removed
	// if everything passed.
	Out        string
	AllowHosts []string // hosts off this machine that may be driven
	// Fakes is fakes.New of github.com/oncecheck/oncecheck/fakes. Only a profile
	// that says fake: provider needs it.
	Fakes func() harness.Fakes
}

// Register adds one spec for each scenario of the catalogue to the Ginkgo tree,
// and the nodes that begin, join and judge the run. Call it once, before
// RunSpecs.
func Register(o Options) error {
	catalogue, err := scenarios.Catalogue()
	if err != nil {
		return err
	}
	s := &session{options: o, texts: map[string]string{}, scenarios: catalogue.Scenarios}
	ginkgo.SynchronizedBeforeSuite(s.begin, s.join)
	ginkgo.Describe("oncecheck", func() {
		for _, scenario := range catalogue.Scenarios {
			text := scenario.ID + ": " + scenario.Title
			s.texts[text] = scenario.ID
			decorators := []any{labels(scenario)}
			if scenario.Exclusive {
				decorators = append(decorators, ginkgo.Serial)
			}
			ginkgo.It(text, append(decorators, func(ctx ginkgo.SpecContext) { s.try(ctx, scenario) })...)
		}
	})
	ginkgo.SynchronizedAfterSuite(s.leave, s.tidy)
	ginkgo.ReportAfterSuite("evidence", s.finish)
	s.ahead.chosen = choose(s.texts)
	return nil
}

// try is the body of a spec.
func (s *session) try(ctx context.Context, scenario harness.Scenario) {
	result, err := s.ahead.try(ctx, s.run, scenario)
	succeed(err)
	entry, err := json.Marshal(result.Scenario)
	succeed(err)
	// A string: entries of parallel processes arrive as JSON, whatever they were.
	ginkgo.AddReportEntry("verdict", string(entry), ginkgo.ReportEntryVisibilityNever)
	if result.Skipped() {
		ginkgo.Skip(result.Verdict.String() + ": " + result.Scenario.Reason)
	}
	gomega.NewGomega(ginkgo.Fail).Expect(result).To(Conform())
}

// succeed fails the node if err is an error.
func succeed(err error) {
	if err != nil {
		ginkgo.Fail(err.Error(), 1)
	}
}
