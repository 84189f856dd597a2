package door

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/profile"
	"github.com/oncecheck/oncecheck/harness/rig"
	"github.com/oncecheck/oncecheck/scenarios"
)

// Options say which target a run tries and where it leaves its evidence.
type Options struct {
	Profile    string   // path of the target's profile
	Shim       string   // in its place: URL of the shim of a client that is all there is to try
	Dir        string   // run folder; must not hold an earlier run
	AllowHosts []string // hosts off this machine that may be driven
	Seed       uint64   // of every random choice; 0 is a seed like any other
	Repeat     string   // the command that repeats the run; empty: oncecheck run with this profile and seed
	// Scaled is the profile of a second target, which whoever begins started with all
	// its times divided by [harness.FastScale]: for what takes too long on the first.
	Scaled string
	// Twins are the profiles of further targets of the same kind, which whoever begins
	// started as well: for what disturbs a target, see [harness.Plan.TwinWith].
	Twins []string
	// Fakes makes the outside world of a profile with fake: provider. A door knows
	// no fake, so whoever opens it brings one.
	Fakes func() harness.Fakes
}

// Run is a run in progress.
type Run struct {
	rig       *rig.Rig
	scaled    *rig.Rig   // of the second target; nil without one
	twins     []*rig.Rig // of further targets of the same kind
	runner    *harness.Runner
	catalogue harness.Catalogue
	dir       string
}

// Begin opens the target, writes the plan with every scenario selected, and
// makes the positive control. What runs of the plan is for the test framework to
// say, so all that the profile claims is tried with the control. A control that
// fails is no error: [Run.Control] tells. The caller closes the run.
func Begin(ctx context.Context, o Options) (*Run, error) {
	return open(ctx, o, func(r *Run) (*harness.Runner, error) {
		plan, err := harness.NewPlan(o.info(), r.rig.Target.Info, r.catalogue, func(harness.Scenario) bool { return true })
		if err != nil {
			return nil, err
		}
		plan.Filtered = true
		if r.scaled != nil {
			if err := plan.Beside(harness.FastScale, r.scaled.Target.Info, r.catalogue); err != nil {
				return nil, err
			}
		}
		if err := plan.TwinWith(r.catalogue, r.declaredByTwins()...); err != nil {
			return nil, err
		}
		return harness.NewRunner(ctx, r.rig.Target, plan, o.Dir)
	})
}

// Join opens a target for a run that another process began in the same folder.
func Join(ctx context.Context, o Options) (*Run, error) {
	return open(ctx, o, func(r *Run) (*harness.Runner, error) { return harness.JoinRunner(ctx, r.rig.Target, o.Dir) })
}

func open(ctx context.Context, o Options, runner func(*Run) (*harness.Runner, error)) (*Run, error) {
	catalogue, err := scenarios.Catalogue()
	if err != nil {
		return nil, err
	}
	p, err := o.load(ctx)
	if err != nil {
		return nil, err
	}
	r := &Run{catalogue: catalogue, dir: o.Dir}
	if r.rig, err = o.open(ctx, p); err != nil {
		return nil, fmt.Errorf("open the target of %s: %w", cmp.Or(o.Profile, o.Shim), err)
	}
	if err := r.openFurther(ctx, o); err != nil {
		return nil, errors.Join(err, r.giveBack(ctx))
	}
	r.runner, err = runner(r)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("begin the run in %s: %w", o.Dir, err), r.giveBack(ctx))
	}
	return r, nil
}

func (o Options) open(ctx context.Context, p *profile.Profile) (*rig.Rig, error) {
	return rig.Open(ctx, p, rig.Options{UserAgent: "oncecheck/" + suite().Version, AllowHosts: o.AllowHosts, Fakes: o.Fakes})
}

// load returns what is known of the target.
func (o Options) load(ctx context.Context) (*profile.Profile, error) {
	if o.Shim != "" {
		return rig.OfShim(ctx, o.Shim)
	}
	return profile.Load(o.Profile)
}

// Control returns the verdict of the positive control. Unless it is a pass, no
// scenario sends anything.
func (r *Run) Control() harness.Verdict { return r.runner.Control() }

// Close reads the ledger once more, when late effects had the whole run to
// arrive, and gives the target back. Histories stay in the folder.
func (r *Run) Close(ctx context.Context) error {
	var err error
	if r.Control().Outcome == harness.Pass {
		err = r.runner.Aftermath(ctx)
	}
	return errors.Join(err, r.giveBack(ctx))
}

// Try carries out a scenario, unless the target lacks a capability for it, and
// judges it. The error is for what could not even be recorded.
func (r *Run) Try(ctx context.Context, s harness.Scenario) (Result, error) {
	if left := r.runner.Plan().Planned(s.ID).Left(); left != "" {
		skipped := r.blank(s)
		skipped.Verdict, skipped.Reason = harness.NotVerified, left
		return r.result(skipped), nil
	}
	if c := r.runner.ControlOf(s.ID); c.Outcome != harness.Pass {
		undecided := r.blank(s)
		undecided.Verdict, undecided.Reason = harness.Inconclusive, "not run: "+c.Reason
		return r.result(undecided), nil
	}
	if err := r.runner.Scenario(ctx, s); err != nil {
		return Result{}, fmt.Errorf("carry out %s: %w", s.ID, err)
	}
	return r.judge(s)
}

func (o Options) info() harness.RunInfo {
	now := time.Now()
	repeat := o.Repeat
	if repeat == "" {
		repeat = o.command()
	}
	return harness.RunInfo{
		ID: harness.NewRunID(now), Started: now.UTC(), Seed: o.Seed, Lane: Lane,
		Suite: suite(), Host: host(), Repeat: repeat,
	}
}

// Lane is the lane that both doors run in.
const Lane = harness.LaneFast

func (o Options) command() string {
	if o.Shim != "" { // ended with the test, so whoever repeats it serves one first
		return "oncecheck client --seed " + strconv.FormatUint(o.Seed, 10) + " --url SHIM"
	}
	words := []string{"oncecheck run --seed", strconv.FormatUint(o.Seed, 10), "--profile", quoted(o.Profile)}
	for _, h := range o.AllowHosts {
		words = append(words, "--allow-host", quoted(h))
	}
	return strings.Join(words, " ")
}

// quoted returns a word as a POSIX shell reads it.
func quoted(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Folder returns dir, or a new folder if it is empty, under a name that says
// what it holds.
func Folder(dir string) (string, error) {
	if dir != "" {
		return dir, nil
	}
	dir, err := os.MkdirTemp("", "oncecheck-evidence-")
	if err != nil {
		return "", fmt.Errorf("make a folder for the evidence: %w", err)
	}
	return dir, nil
}
