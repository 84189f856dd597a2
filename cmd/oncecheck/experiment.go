package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/oncecheck/oncecheck/fakes"
	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/profile"
	"github.com/oncecheck/oncecheck/harness/rig"
)

// experiment is a selection of the catalogue that is tried on one target. run
// and mutants share it, so that a mutant is judged by exactly what a user gets.
type experiment struct {
	catalogue harness.Catalogue
	selected  func(harness.Scenario) bool // nil in the lane nfr
	measured  func(harness.NFR) bool      // nil in all others
	info      harness.RunInfo
	allow     []string // hosts off this machine that may be disturbed
	known     []harness.KnownFailure
	dir       string // run folder
	jobs      int

	// scaled starts the target a second time, with all times divided, for what takes
	// too long in the lane. Nil where the target is not ours to start.
	scaled func(ctx context.Context, scale float64) (*rig.Launched, error)
	// twin starts the target once more as it is, for what disturbs a target. Nil where
	// it is not ours to start, or where a run is too short to gain by it.
	twin func(ctx context.Context) (*rig.Launched, error)

	// begun is called once the positive control is made and the run folder holds
	// a run; what it returns hears of the progress. It may be nil.
	begun func(*harness.Runner) func(harness.Progress)
}

// on opens the target of the profile, carries the experiment out and judges it.
// An error means that it could not begin: nothing was learned. A cancelled
// context is no error once it has begun; the evidence says what is missing.
func (x experiment) on(ctx context.Context, p *profile.Profile) (e harness.Evidence, err error) {
	opened, err := x.open(ctx, x.target(p))
	if err != nil {
		return harness.Evidence{}, err
	}
	defer func() {
		if closing := opened.Close(context.WithoutCancel(ctx)); closing != nil {
			err = errors.Join(err, fmt.Errorf("leave the target as it was: %w", closing))
		}
	}()
	plan, err := x.plan(opened.Target.Info)
	if err != nil {
		return harness.Evidence{}, err
	}
	plan.Known = x.known
	leave, err := x.beside(ctx, &plan, opened.Target)
	if err != nil {
		return harness.Evidence{}, err
	}
	defer leave()
	runner, err := harness.NewRunner(ctx, opened.Target, plan, x.dir)
	if err != nil {
		return harness.Evidence{}, err
	}
	o := harness.Options{Dir: x.dir, Jobs: plan.Target.Limits.Jobs(x.jobs)}
	if x.begun != nil {
		o.Progress = x.begun(runner)
	}
	return harness.Run(ctx, runner, x.catalogue, o)
}

func (x experiment) open(ctx context.Context, p *profile.Profile) (*rig.Rig, error) {
	return rig.Open(ctx, p, rig.Options{UserAgent: "oncecheck/" + x.info.Suite.Version, AllowHosts: x.allow, Fakes: fakes.New})
}

// target returns the profile as the lane takes it.
func (x experiment) target(p *profile.Profile) *profile.Profile {
	if x.measured != nil {
		return unhindered(p)
	}
	return p
}

// plan joins what was selected with what the target offers.
func (x experiment) plan(target harness.TargetInfo) (harness.Plan, error) {
	if x.measured != nil {
		return harness.NewMeasurePlan(x.info, target, x.catalogue, x.measured)
	}
	return harness.NewPlan(x.info, target, x.catalogue, x.selected)
}

// newRunInfo identifies a run that begins now.
func newRunInfo(seed uint64) harness.RunInfo {
	now := time.Now()
	return harness.RunInfo{
		ID: harness.NewRunID(now), Started: now.UTC(), Seed: seed, Lane: harness.LaneFast, Suite: thisBuild().suite(),
		Host: harness.HostInfo{OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU()},
	}
}
