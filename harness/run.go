package harness

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"sync"
	"time"
)

// Options say how a run is carried out.
type Options struct {
	Dir      string         // run folder; must not hold an earlier run
	Jobs     int            // scenarios side by side, at least 1
	Progress func(Progress) // may be nil; called from several goroutines
}

// Progress tells that a scenario began or ended.
type Progress struct {
	Scenario string
	Done     bool
	Verdict  Outcome // of the scenario, once done
	Reason   string
	Took     time.Duration
	Finished int // scenarios done so far
	Planned  int
}

// NewRunID returns an id that sorts by time and is unique.
func NewRunID(now time.Time) string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return now.UTC().Format("20060102T150405Z") + "-" + hex.EncodeToString(b[:])
}

// Run carries out every planned scenario, jobs at a time, and judges what was
// written. A cancelled context ends the run early; the evidence then says so.
func Run(ctx context.Context, r *Runner, catalogue Catalogue, o Options) (Evidence, error) {
	var planned []Scenario
	for _, p := range r.plan.Scenarios {
		if s, ok := catalogue.Scenario(p.ID); ok && p.Runs() {
			planned = append(planned, s)
		}
	}
	if r.control.Outcome == Pass {
		if err := r.all(ctx, planned, o); err != nil {
			return Evidence{}, err
		}
		if err := r.measureAll(ctx, catalogue, o); err != nil {
			return Evidence{}, err
		}
		if err := r.Aftermath(ctx); err != nil {
			return Evidence{}, err
		}
	}
	return JudgeRun(r.dir, r.plan, catalogue, time.Now())
}

// all carries the scenarios out, each when it has its turn.
func (r *Runner) all(ctx context.Context, planned []Scenario, o Options) error {
	progress := o.Progress
	if progress == nil {
		progress = func(Progress) {}
	}
	var mu sync.Mutex
	finished := 0
	one := func(s Scenario, handBack func()) error {
		if ctx.Err() != nil {
			return nil // left without a history: judged as interrupted
		}
		progress(Progress{Scenario: s.ID, Planned: len(planned)})
		started := time.Now()
		if err := r.scenario(ctx, s, handBack); err != nil {
			return err
		}
		result := r.judgeOne(s)
		mu.Lock()
		finished++
		n := finished
		mu.Unlock()
		progress(Progress{Scenario: s.ID, Done: true, Verdict: result.Verdict, Reason: result.Reason, Took: time.Since(started), Finished: n, Planned: len(planned)})
		return nil
	}
	// On no target is anything disturbed by what happens on another. But where times are
	// divided little is left to be late, so that target waits until the machine is calmer.
	var here, scaled, twins []Scenario
	for _, s := range planned {
		switch {
		case r.scaled != nil && r.plan.scaleOf(s.ID) != 1:
			scaled = append(scaled, s)
		case r.onTwin(s.ID):
			twins = append(twins, s)
		default:
			here = append(here, s)
		}
	}
	calm := make(chan struct{})
	calmer := sync.OnceFunc(func() { close(calm) })
	shared := func(planned []Scenario) error {
		return newTurns(planned, r.target.Info.Policy, r.target.Info.clientApart()).take(max(o.Jobs, 1), one, calmer)
	}
	return Parallel(3, func(i int) error {
		switch i {
		case 0:
			defer calmer()
			return shared(here)
		case 1:
			<-calm
			return shared(scaled)
		}
		longestFirst(twins, r.target.Info.Policy)
		return parallelLimit(len(r.twins), len(twins), func(i int) error { return one(twins[i], func() {}) })
	})
}

// judgeOne gives the progress line its verdict; the evidence is judged anew
// from the files at the end.
func (r *Runner) judgeOne(s Scenario) ScenarioResult {
	result, _, _ := judgeScenario(r.dir, s, r.plan, r.plan.Run, aftermath{provisional: true})
	return result
}
