package guard

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/rig"
	"github.com/oncecheck/oncecheck/reports"
)

func TestSuiteCannotBeGreenForNothing(t *testing.T) {
	binary := build(t, "suite")
	shop := open(t, newShop())

	t.Run("a spec that passes is green", func(t *testing.T) {
		out := folder(t)
		expectGreen(t, binary, "-profile="+shop, "-out="+out, "-ginkgo.focus=idempotency/key-missing")
		checkEvidence(t, out, "idempotency/key-missing")
	})
	t.Run("a label that matches nothing", func(t *testing.T) {
		expectRed(t, []string{"no spec ran"}, binary, "-profile="+shop, "-out="+folder(t), "-ginkgo.label-filter=SRS-CHK-001.9999")
	})
	t.Run("every spec lacks a capability", func(t *testing.T) {
		expectRed(t, []string{"nothing was proven", "the profile does not offer: "},
			binary, "-profile="+shop, "-out="+folder(t), "-ginkgo.label-filter=process-control")
	})
	t.Run("the positive control fails", func(t *testing.T) {
		expectRed(t, []string{"positive control", "no scenario is believed"}, binary, "-profile="+open(t, mute()), "-out="+folder(t))
	})
	t.Run("an effect without a cause shows in the run as a whole only", func(t *testing.T) {
		expectRed(t, []string{"no scenario failed by itself", "every-effect-has-a-cause"},
			binary, "-profile="+open(t, straying()), "-out="+folder(t), "-ginkgo.focus=idempotency/key-length")
	})
	t.Run("flake attempts", func(t *testing.T) {
		expectRed(t, []string{"never repeated silently"}, binary, "-profile="+shop, "-out="+folder(t), "-ginkgo.flake-attempts=2")
	})
	t.Run("a profile that is not there", func(t *testing.T) {
		expectRed(t, []string{"nowhere.yaml"}, binary, "-profile=nowhere.yaml")
	})
}

func TestMutantFailsTheSpecWithAllThatIsNeeded(t *testing.T) {
	binary := build(t, "suite")
	oncecheck := filepath.Join(t.TempDir(), "oncecheck")
	command(t, "go", "build", "-o", oncecheck, "github.com/oncecheck/oncecheck/cmd/oncecheck")
	served, err := rig.Launch(t.Context(), oncecheck, "serve", "--mutant", "replay-200", "--write-profile", "{profile}", "--until-stdin-closes")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := served.Stop(); err != nil {
			t.Error(err)
		}
	})
	expectRed(t, []string{
		"idempotency/replay-success: fail", "SRS-CHK-001.29", "expected", "observed", "200", "201", "witness", "seed      7",
		"repeat    oncecheck run --seed 7 --profile '" + served.Profile + "' --only 'idempotency/replay-success'",
	}, binary, "-profile="+served.Profile, "-out="+folder(t), "-ginkgo.seed=7", "-ginkgo.focus=idempotency/replay-success")
}

// checkEvidence makes sure that the run folder says that only the one scenario
// was selected, and that it passed.
func checkEvidence(t *testing.T, dir, scenario string) {
	t.Helper()
	e, err := reports.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range e.Scenarios {
		want := harness.NotVerified
		if s.ID == scenario {
			want = harness.Pass
		}
		if s.Verdict != want {
			t.Errorf("%s: %s (%s), want %s", s.ID, s.Verdict, s.Reason, want)
		}
		if s.ID != scenario && s.Reason != "not selected in this run" {
			t.Errorf("%s: reason %q, want that it was not selected", s.ID, s.Reason)
		}
	}
	for _, f := range []string{"report.html", "report.md", "junit.xml", "manifest.json"} {
		if _, err := os.Stat(filepath.Join(dir, f)); err != nil {
			t.Error(err)
		}
	}
	if differ, err := reports.VerifyManifest(dir); err != nil || len(differ) > 0 {
		t.Errorf("the manifest does not fit: %v, %v", differ, err)
	}
}
