package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/profile"
	"github.com/oncecheck/oncecheck/harness/rig"
	"github.com/oncecheck/oncecheck/reports"
)

// lanes are those that exist.
func lanes() []string { return []string{harness.LaneFast, harness.LaneSpec, harness.LaneNFR} }

// runFlags are the flags of run as they were given.
type runFlags struct {
	profile string
	lane    string
	only    []string
	skip    []string
	seed    uint64
	jobs    int
	out     string
	formats []string
	allow   []string
	known   string
	dryRun  bool
}

func newRun(catalogue harness.Catalogue) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Tests a target, or without --profile the embedded reference",
		Long: `Tests the target of a profile and writes evidence of what was proven.

PATTERN is a glob over scenario and clause ids: * stays between / and ., **
crosses both. A clause selects the scenarios that judge it.

The lane fast runs the scenarios. One that would take longer than 20 s on the
target is left to the lane spec; without --profile it is tried on a second
reference, whose times are divided, and what is proven then carries that scale.
What disturbs a target is then tried on twins of the reference, beside the rest.
The lane spec runs all of them at the true numbers. The lane nfr measures the
quantitative requirements instead, each with as many calls as its claim needs:
minutes each.

A failure that --known lists does not count, as long as it fails, matches and
has not expired; an entry that does not is a failure itself.

Exit: 0 nothing failed or stayed open, 1 something failed, 2 wrong usage,
profile or set-up, 3 nothing failed but something is inconclusive.`,
		Example: `  oncecheck run
  oncecheck run --only 'idempotency/**'
  oncecheck run --profile staging.yaml --only 'SRS-CHK-001.*' --out evidence/today
  oncecheck run --lane nfr --only NFR-RES-002`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.seeded(cmd)
			return f.run(cmd, catalogue)
		},
	}
	f.share(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.profile, "profile", "", "profile `FILE` of the target")
	flags.StringArrayVar(&f.allow, "allow-host", nil, "`HOST` off this machine that may be disturbed; may be repeated")
	return cmd
}

// share adds the flags that every command with an experiment takes.
func (f *runFlags) share(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.lane, "lane", harness.LaneFast, "`LANE` to run in: "+strings.Join(lanes(), ", "))
	flags.StringArrayVar(&f.only, "only", nil, "run only what matches `PATTERN`; may be repeated")
	flags.StringArrayVar(&f.skip, "skip", nil, "leave out what matches `PATTERN`; may be repeated")
	flags.Uint64Var(&f.seed, "seed", 0, "seed `N` of all random choices (default: a new one)")
	flags.IntVar(&f.jobs, "jobs", runJobs, "scenarios side by side, `N`")
	flags.StringVar(&f.out, "out", "", "folder `DIR` for the evidence (default: ./evidence/RUN-ID)")
	flags.StringSliceVar(&f.formats, "format", nil, "reports to write, `LIST` of "+strings.Join(reports.Formats(), ",")+" (default: all)")
	flags.StringVar(&f.known, "known", "", "`FILE` that lists the failures which do not count for now")
	flags.BoolVar(&f.dryRun, "dry-run", false, "show the plan, send nothing, write no evidence")
}

// seeded draws a seed where none was given.
func (f *runFlags) seeded(cmd *cobra.Command) {
	if !cmd.Flags().Changed("seed") {
		f.seed = uint64(rand.Uint32()) // short enough to be read out
	}
}

// run refuses whatever is wrong before anything is started or written.
func (f runFlags) run(cmd *cobra.Command, catalogue harness.Catalogue) error {
	x, err := f.experiment(catalogue, catalogue)
	if err != nil {
		return err
	}
	var target *profile.Profile
	if f.profile != "" {
		if target, err = f.load(); err != nil {
			return err
		}
	}
	if f.dryRun {
		return dryRun(cmd.OutOrStdout(), x, target)
	}
	x.info.Repeat = f.repeat()
	if target == nil {
		x.scaled = func(ctx context.Context, scale float64) (*rig.Launched, error) { return launchEmbedded(ctx, "", scale) }
		x.twin = func(ctx context.Context) (*rig.Launched, error) { return launchEmbedded(ctx, "", 1) }
	}
	return f.carryOut(cmd, x, func(ctx context.Context, log io.Writer) (*profile.Profile, func(), error) {
		if target != nil {
			return target, func() {}, nil
		}
		return startEmbedded(ctx, log)
	})
}

// experiment returns what the flags ask for: of the catalogue they may select
// what is in the part that the command offers.
func (f runFlags) experiment(catalogue, part harness.Catalogue) (experiment, error) {
	if err := f.check(); err != nil {
		return experiment{}, err
	}
	accepted, err := f.knownFailures()
	if err != nil {
		return experiment{}, err
	}
	x := experiment{catalogue: catalogue, info: newRunInfo(f.seed), allow: f.allow, known: accepted, jobs: f.jobs, dir: f.out}
	if x.info.Lane = f.lane; f.lane == harness.LaneNFR {
		picked, err := measured(part, f.only, f.skip)
		if err != nil {
			return experiment{}, err
		}
		x.measured = func(n harness.NFR) bool { _, offered := part.NFR(n.ID); return offered && picked(n) }
		if err := enoughFiles(catalogue, x.measured); err != nil {
			return experiment{}, err
		}
	} else {
		picked, err := selection(part, f.only, f.skip)
		if err != nil {
			return experiment{}, err
		}
		x.selected = func(s harness.Scenario) bool { _, offered := part.Scenario(s.ID); return offered && picked(s) }
	}
	if x.dir == "" {
		x.dir = filepath.Join("evidence", x.info.ID)
	}
	return x, nil
}

// startEmbedded starts the reference and returns its profile, and what ends it.
func startEmbedded(ctx context.Context, log io.Writer) (*profile.Profile, func(), error) {
	fmt.Fprintln(log, "starting the embedded reference")
	launched, err := launchEmbedded(ctx, "", 1)
	if err != nil {
		return nil, nil, setUp(ctx, err, "")
	}
	stop := func() { warn(log, launched.Stop()) }
	target, err := profile.Load(launched.Profile)
	if err != nil {
		stop()
		return nil, nil, refuse(err, "")
	}
	return target, stop, nil
}

// carryOut opens what is to be tried once it is known that there is a place for
// the evidence, and tries it.
func (f runFlags) carryOut(cmd *cobra.Command, x experiment, open func(context.Context, io.Writer) (*profile.Profile, func(), error)) error {
	ctx, log := cmd.Context(), cmd.ErrOrStderr()
	out, err := openOut(x.dir)
	if err != nil {
		return err
	}
	defer out.discard()
	target, stop, err := open(ctx, log)
	if err != nil {
		return err
	}
	defer stop()
	shown := newProgress(log)
	defer shown.close()
	left := func() []string { return nil } // nothing was begun
	told := 0
	x.begun = func(r *harness.Runner) func(harness.Progress) {
		out.keep()
		left = r.Left
		fmt.Fprintf(log, "target %s at %s, seed %d\n", oneLine(target.Target.Name), oneLine(address(target)), x.info.Seed)
		limited(log, r.Plan().Target.Limits, x.jobs)
		controlled(log, r.Control(), r.ControlNext())
		divided(log, r.Plan())
		doubled(log, r.Plan())
		hinted(log, r.Hints())
		told = len(r.Hints())
		unusable(log, r.Principals())
		unmet(log, r.Claims())
		measuring(log, r.Plan())
		return shown.update
	}
	evidence, err := x.on(ctx, target)
	shown.close()
	hinted(log, evidence.Run.Hints[min(told, len(evidence.Run.Hints)):])
	notPutBack(log, left())
	if err != nil && evidence.Schema == "" {
		if out.kept {
			return &failure{code: harness.ExitInconclusive, err: err, hint: "what was recorded until then is in " + x.dir}
		}
		return setUp(ctx, err, "")
	}
	if ctx.Err() != nil {
		fmt.Fprintln(log, "interrupted: every fault is lifted, writing what was learned")
	}
	return f.conclude(cmd, x.dir, evidence, err)
}

// conclude writes the reports and returns the run's verdict. A target that could
// not be left as it was does not change what was proven, but it is told.
func (f runFlags) conclude(cmd *cobra.Command, dir string, e harness.Evidence, closing error) error {
	if err := reports.Write(dir, e, f.formats); err != nil {
		code := harness.ExitInconclusive // what was proven cannot be shown
		if e.Run.Exit == harness.ExitFail {
			code = harness.ExitFail
		}
		return &failure{code: code, err: err, hint: "the histories are in " + dir}
	}
	shownIn := dir
	if !f.writes("html") {
		shownIn = ""
	}
	if err := reports.Summary(cmd.OutOrStdout(), e, shownIn, colourful(cmd.OutOrStdout())); err != nil {
		return &failure{code: harness.ExitInconclusive, err: err}
	}
	fmt.Fprintf(cmd.OutOrStdout(), "  evidence  %s\n", filepath.Join(dir, reports.EvidenceFile))
	fmt.Fprintf(cmd.OutOrStdout(), "  created   %s lists what the run left in the target\n", filepath.Join(dir, reports.CreatedFile))
	suggestKnown(cmd.OutOrStdout(), e, time.Now())
	warn(cmd.ErrOrStderr(), closing)
	return conclude(e.Run.Exit)
}

// check refuses values that no run can have.
func (f runFlags) check() error {
	switch f.lane {
	case harness.LaneFast, harness.LaneSpec, harness.LaneNFR:
	default:
		return refuse(fmt.Errorf("there is no lane %q", f.lane), didYouMean(nearest(f.lane, lanes(), 1), "there are "+strings.Join(lanes(), ", ")))
	}
	if f.jobs < 1 {
		return refuse(fmt.Errorf("--jobs %d: at least one scenario has to run", f.jobs), "")
	}
	for _, name := range f.formats {
		if !slices.Contains(reports.Formats(), name) && name != "md" {
			return refuse(fmt.Errorf("there is no format %q", name), didYouMean(nearest(name, reports.Formats(), 1), "formats: "+strings.Join(reports.Formats(), ", ")))
		}
	}
	return nil
}

func (f runFlags) writes(format string) bool {
	return len(f.formats) == 0 || slices.Contains(f.formats, format)
}

// load reads the profile and makes sure that its target may be disturbed.
func (f runFlags) load() (*profile.Profile, error) {
	p, err := profile.Load(f.profile)
	if err != nil {
		hint := "oncecheck list schemas --print profile describes every key"
		if errors.Is(err, fs.ErrNotExist) {
			hint = "oncecheck init --url URL writes a profile"
		}
		return nil, refuse(err, hint)
	}
	if err := rig.Compile(p); err != nil {
		return nil, refuse(fmt.Errorf("%s: %w", f.profile, err), "the jq manual is at https://jqlang.org/manual")
	}
	if err := p.CheckReach(f.allow); err != nil {
		return nil, refuse(err, "")
	}
	return p, nil
}

// repeat returns the command line that repeats the run, the selection left out:
// each scenario adds its own.
func (f runFlags) repeat() string {
	line := fmt.Sprintf("oncecheck run --seed %d", f.seed) + f.laneFlag()
	if f.profile != "" {
		line += " --profile " + shellWord(f.profile)
	}
	for _, host := range f.allow {
		line += " --allow-host " + shellWord(host)
	}
	if f.known != "" {
		line += " --known " + shellWord(f.known)
	}
	return line
}

// laneFlag names the lane where it is not the usual one.
func (f runFlags) laneFlag() string {
	if f.lane == harness.LaneFast {
		return ""
	}
	return " --lane " + f.lane
}
