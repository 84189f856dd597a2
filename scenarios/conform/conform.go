package conform

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/scenarios"
	"github.com/oncecheck/oncecheck/scenarios/door"
)

// Target is the system to try.
type Target struct {
	Profile    string   // path of its profile
	AllowHosts []string // hosts off this machine that may be driven
	// Fakes is fakes.New of github.com/oncecheck/oncecheck/fakes. Only a profile
	// that says fake: provider needs it.
	Fakes func() harness.Fakes
}

// Option changes how a run is carried out.
type Option func(*door.Options)

// WithEvidence keeps the evidence in dir, which must not hold an earlier run.
// Without it the evidence lies among the test's artifacts, which go test keeps
// with -artifacts.
func WithEvidence(dir string) Option {
	return func(o *door.Options) { o.Dir = dir }
}

// WithSeed seeds every random choice. Without it the seed is 1, so that a test
// does the same each time.
func WithSeed(seed uint64) Option {
	return func(o *door.Options) { o.Seed = seed }
}

// Run tries the target with every scenario of the catalogue, each as a subtest
// named by its id. It fails t if the target cannot be reached, if its profile is
// wrong, if the positive control fails, or if nothing passed.
func Run(t *testing.T, target Target, options ...Option) {
	t.Helper()
	o := door.Options{Profile: target.Profile, AllowHosts: target.AllowHosts, Fakes: target.Fakes, Seed: 1}
	carryOut(t, o, options, func(harness.Scenario) bool { return true })
}

// carryOut tries a target with the selected scenarios, each as a subtest.
func carryOut(t *testing.T, o door.Options, options []Option, selected func(harness.Scenario) bool) {
	t.Helper()
	catalogue, err := scenarios.Catalogue()
	if err != nil {
		t.Fatal(err)
	}
	for _, option := range options {
		option(&o)
	}
	if o.Dir == "" {
		o.Dir = filepath.Join(t.ArtifactDir(), "oncecheck")
	}
	run, err := door.Begin(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	tried := newIDs()
	t.Cleanup(func() { finish(t, run, o.Dir, tried) })
	if c := run.Control(); c.Outcome != harness.Pass {
		t.Fatalf("%s\nno scenario is believed without it; the evidence is in %s", c.Reason, o.Dir)
	}
	for _, s := range catalogue.Scenarios {
		if s.Exclusive && selected(s) {
			t.Run(s.ID, func(t *testing.T) { try(t, run, s, tried) })
		}
	}
	for _, s := range catalogue.Scenarios {
		if !s.Exclusive && selected(s) {
			t.Run(s.ID, func(t *testing.T) {
				t.Parallel()
				try(t, run, s, tried)
			})
		}
	}
}

// try carries out one scenario as a subtest.
func try(t *testing.T, run *door.Run, s harness.Scenario, tried *ids) {
	t.Helper()
	tried.add(s.ID)
	result, err := run.Try(t.Context(), s)
	switch {
	case err != nil:
		t.Error(err)
	case result.Skipped():
		t.Skipf("%s: %s", result.Verdict, result.Scenario.Reason)
	case result.Verdict != harness.Pass:
		t.Error(result.Text())
	default:
		tried.green(s.ID)
	}
}

// finish judges the whole run once all subtests ended, writes the reports, and
// fails a test that proved nothing. What -run took out was not selected.
func finish(t *testing.T, run *door.Run, dir string, tried *ids) {
	t.Helper()
	if err := run.Close(context.WithoutCancel(t.Context())); err != nil {
		t.Errorf("give the target back: %v", err)
	}
	selected := tried.has
	if tried.count() == 0 { // the run ended before any scenario: that is a gap, not a choice
		selected = func(string) bool { return true }
	}
	finished, err := door.Finish(dir, selected)
	if err != nil {
		t.Error(err)
		return
	}
	if err := finished.Err(tried.passed()); err != nil && !t.Failed() {
		t.Error(err)
	}
	e := finished.Evidence
	t.Logf("evidence: %s: %d of %d clauses proven, %d failed, %d inconclusive",
		filepath.Join(dir, "report.html"), e.Totals.Pass, len(e.Clauses), e.Totals.Fail, e.Totals.Inconclusive)
}
