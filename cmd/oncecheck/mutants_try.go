package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/profile"
	"github.com/oncecheck/oncecheck/reference/stack"
)

// tryAll runs the reference and every mutant. An error says that the user
// wanted no more; a mutant that cannot be run has survived.
func (k *killing) tryAll(ctx context.Context) error {
	var group errgroup.Group
	group.SetLimit(k.jobs)
	group.Go(func() error { k.try(ctx, stack.Mutant{Name: correct}, k.baselineSelection()); return nil })
	for _, row := range k.rows {
		group.Go(func() error { k.try(ctx, row, k.rowSelection(row)); return nil })
	}
	_ = group.Wait() // none of them returns an error
	if ctx.Err() != nil {
		return interrupted()
	}
	return nil
}

func (k *killing) try(ctx context.Context, row stack.Mutant, selected func(harness.Scenario) bool) {
	if ctx.Err() != nil {
		return
	}
	started := time.Now()
	e, err := k.one(ctx, row.Name, selected)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.trials[row.Name] = trial{e, err}
	name, verdict := row.Name, kill{Kills: row.Kills, KilledBy: failedClauses(e)}.judge()
	if name == correct {
		name, verdict = "the correct reference", "green"
		if len(k.baselineProblems(k.trials[correct])) > 0 {
			verdict = "not green"
		}
	}
	if ctx.Err() == nil {
		fmt.Fprintf(k.log, "%d/%d %s %s %.1fs\n", len(k.trials), len(k.rows)+1, verdict, name, time.Since(started).Seconds())
	}
}

// one serves the mutant in a process of its own and judges it by its profile.
func (k *killing) one(ctx context.Context, mutant string, selected func(harness.Scenario) bool) (e harness.Evidence, err error) {
	dir, err := os.MkdirTemp("", "oncecheck-mutant-")
	if err != nil {
		return e, fmt.Errorf("make a run folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	launched, err := launchEmbedded(ctx, mutant)
	if err != nil {
		return e, err
	}
	defer func() { err = errors.Join(err, launched.Stop()) }()
	p, err := profile.Load(launched.Profile)
	if err != nil {
		return e, err
	}
	x := experiment{catalogue: k.catalogue, selected: selected, info: newRunInfo(1), dir: dir, jobs: mutantJobs}
	return x.on(ctx, p)
}

// rowSelection selects what judges a clause of the row, and the smoke set.
func (k *killing) rowSelection(row stack.Mutant) func(harness.Scenario) bool {
	return func(s harness.Scenario) bool {
		return slices.Contains(smoke(), s.ID) ||
			slices.ContainsFunc(s.Clauses(), func(id harness.ClauseID) bool { return slices.Contains(row.Kills, string(id)) })
	}
}

func (k *killing) baselineSelection() func(harness.Scenario) bool {
	return func(s harness.Scenario) bool {
		return !k.partial || slices.ContainsFunc(k.rows, func(row stack.Mutant) bool { return k.rowSelection(row)(s) })
	}
}
