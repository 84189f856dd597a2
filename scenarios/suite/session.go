package suite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/onsi/ginkgo/v2"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/rig"
	"github.com/oncecheck/oncecheck/scenarios/door"
)

// session is the part of a run that one process carries out.
type session struct {
	options  Options
	texts    map[string]string // spec text -> scenario id
	dir      string            // run folder; empty until the run began
	scratch  string            // what Serve built; first process only
	launched []*rig.Launched   // the target and what is beside it; empty with a profile
	run      *door.Run

	scenarios []harness.Scenario
	ahead     ahead
}

// shared is what the first process tells the others.
type shared struct {
	Dir  string
	Argv []string // serves a target; empty with a profile
}

// begin runs in the first process, before any spec.
func (s *session) begin(ctx ginkgo.SpecContext) []byte {
	config, _ := ginkgo.GinkgoConfiguration()
	if config.FlakeAttempts > 1 || config.MustPassRepeatedly > 1 {
		ginkgo.Fail("a scenario is never repeated silently: run without flake attempts and must-pass-repeatedly")
	}
	argv, err := s.command(ctx, config.ParallelTotal)
	succeed(err)
	dir, err := door.Folder(s.options.Out)
	succeed(err)
	succeed(s.open(ctx, dir, argv, door.Begin))
	if c := s.run.Control(); c.Outcome != harness.Pass {
		ginkgo.Fail(c.Reason + "\nno scenario is believed without it; the evidence is in " + dir)
	}
	if config.ParallelTotal == 1 { // else specs run side by side as it is
		s.ahead.start(s.run, s.scenarios)
	}
	data, err := json.Marshal(shared{dir, argv})
	succeed(err)
	return data
}

// join runs in every process once the run began.
func (s *session) join(ctx ginkgo.SpecContext, data []byte) {
	if s.run != nil {
		return
	}
	var told shared
	succeed(json.Unmarshal(data, &told))
	succeed(s.open(ctx, told.Dir, told.Argv, door.Join))
}

// command returns what serves a target, or nothing with a profile.
func (s *session) command(ctx context.Context, processes int) ([]string, error) {
	if s.options.Profile != "" {
		return nil, oneProcess(s.options.Profile, processes)
	}
	if s.options.Serve == nil {
		return nil, errors.New("the suite has no target: name a profile, or a command that serves one")
	}
	var err error
	if s.scratch, err = os.MkdirTemp("", "oncecheck-suite-"); err != nil {
		return nil, fmt.Errorf("make a folder for the served target: %w", err)
	}
	return s.options.Serve(ctx, s.scratch)
}

// open launches the target if there is a command for it, and begins or joins.
func (s *session) open(ctx context.Context, dir string, argv []string, begin func(context.Context, door.Options) (*door.Run, error)) error {
	s.dir = dir
	o := door.Options{Profile: s.options.Profile, Dir: dir, AllowHosts: s.options.AllowHosts, Fakes: s.options.Fakes, Seed: uint64(ginkgo.GinkgoRandomSeed())}
	if len(argv) > 0 {
		var err error
		if o.Profile, err = s.launch(ctx, argv); err != nil {
			return err
		}
		o.Repeat = fmt.Sprintf("%s --seed %d", s.options.Repeat, o.Seed)
		if s.options.Scaled != nil && s.wantsScaled() {
			if o.Scaled, err = s.launch(ctx, s.options.Scaled(argv, harness.FastScale)); err != nil {
				return err
			}
		}
		for range s.wantsTwins() {
			twin, err := s.launch(ctx, argv)
			if err != nil {
				return err
			}
			o.Twins = append(o.Twins, twin)
		}
	}
	var err error
	s.run, err = begin(ctx, o)
	return err
}

// launch launches a target and returns its profile.
func (s *session) launch(ctx context.Context, argv []string) (profile string, err error) {
	launched, err := rig.Launch(ctx, argv...)
	if err != nil {
		return "", err
	}
	s.launched = append(s.launched, launched)
	return launched.Profile, nil
}

// wantsTwins returns how many twins there are to be. Where several processes share
// the specs each has a target of its own as it is.
func (s *session) wantsTwins() int {
	config, _ := ginkgo.GinkgoConfiguration()
	disturbing := 0
	for _, sc := range s.scenarios {
		if sc.Exclusive && s.ahead.chosen[sc.ID] {
			disturbing++
		}
	}
	if config.ParallelTotal > 1 || len(s.ahead.chosen) < 2 {
		return 0
	}
	return min(disturbing, harness.MaxTwins)
}

// wantsScaled reports whether some spec will ask for a scenario that takes long.
func (s *session) wantsScaled() bool {
	return slices.ContainsFunc(s.scenarios, func(sc harness.Scenario) bool { return sc.Long != nil && s.ahead.chosen[sc.ID] })
}

// leave runs in every process after its last spec.
func (s *session) leave(ctx ginkgo.SpecContext) {
	var errs []error
	s.ahead.end()
	if s.run != nil {
		errs = append(errs, s.run.Close(ctx))
	}
	for _, launched := range s.launched {
		errs = append(errs, launched.Stop())
	}
	succeed(errors.Join(errs...))
}

// tidy runs in the first process once all others left.
func (s *session) tidy(ginkgo.SpecContext) {
	if s.scratch != "" {
		succeed(os.RemoveAll(s.scratch))
	}
}
