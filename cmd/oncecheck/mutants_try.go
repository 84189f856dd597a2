package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/profile"
	"github.com/oncecheck/oncecheck/harness/rig"
	"github.com/oncecheck/oncecheck/reference/stack"
)

// patientJobs is how many mutants that mostly wait take the place of one that
// keeps the machine busy.
const patientJobs = 2

// tryAll runs the reference and every mutant. An error says that the user
// wanted no more; a mutant that cannot be run has survived.
//
// Times that a busy machine spoils say nothing, neither for a mutant nor against
// it. What stayed open for that reason is tried once more, and then one at a time:
// what made the machine busy may well have been the others.
func (k *killing) tryAll(ctx context.Context) error {
	all := append([]stack.Mutant{{Name: correct}}, k.rows...)
	k.tryBeside(ctx, all, func(row stack.Mutant) int64 {
		if row.Name != correct && k.patient(row) {
			return 1
		}
		return patientJobs
	})
	open := slices.DeleteFunc(all, func(row stack.Mutant) bool { return !k.open(row) })
	if len(open) > 0 && ctx.Err() == nil {
		fmt.Fprintf(k.log, "%s left something open and run again, one at a time\n", plural(len(open), "trial"))
		k.tryBeside(ctx, open, func(stack.Mutant) int64 { return k.room() })
	}
	if ctx.Err() != nil {
		return interrupted()
	}
	return nil
}

// room is the weight of what is tried at once.
func (k *killing) room() int64 { return int64(k.jobs) * patientJobs }

// tryBeside tries the rows side by side, as many as their weights allow.
func (k *killing) tryBeside(ctx context.Context, rows []stack.Mutant, weight func(stack.Mutant) int64) {
	room := semaphore.NewWeighted(k.room())
	var group sync.WaitGroup
	for _, row := range rows {
		needed := weight(row)
		if room.Acquire(ctx, needed) != nil {
			break // the user wants no more
		}
		group.Go(func() {
			defer room.Release(needed)
			k.try(ctx, row)
		})
	}
	group.Wait()
}

// patient reports whether a row is judged by scenarios that wait for most of
// their time: those about a client and a gateway.
func (k *killing) patient(row stack.Mutant) bool {
	return !slices.ContainsFunc(k.catalogue.Scenarios, func(s harness.Scenario) bool {
		return k.selection(row)(s) && !slices.Contains(smoke(), s.ID) && !strings.HasPrefix(s.ID, "client/") && !strings.HasPrefix(s.ID, "gateway/")
	})
}

// open reports whether the trial of a row says nothing yet: a clause that has to
// fail is inconclusive, or a scenario of the correct reference is, and nothing
// speaks against either.
func (k *killing) open(row stack.Mutant) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	t := k.trials[row.Name]
	if row.Name == correct {
		return t.err == nil && t.evidence.Run.Exit == harness.ExitInconclusive
	}
	if slices.ContainsFunc(failedClauses(t.evidence), func(id string) bool { return !slices.Contains(row.Kills, id) }) {
		return false
	}
	return slices.ContainsFunc(t.evidence.Clauses, func(c harness.ClauseResult) bool {
		return c.Verdict == harness.Inconclusive && slices.Contains(row.Kills, string(c.ID))
	})
}

func (k *killing) try(ctx context.Context, row stack.Mutant) {
	if ctx.Err() != nil {
		return
	}
	started := time.Now()
	e, err := k.one(ctx, row.Name, k.selection(row))
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
	launched, err := launchEmbedded(ctx, mutant, 1)
	if err != nil {
		return e, err
	}
	defer func() { err = errors.Join(err, launched.Stop()) }()
	p, err := profile.Load(launched.Profile)
	if err != nil {
		return e, err
	}
	x := experiment{catalogue: k.catalogue, selected: selected, info: newRunInfo(1), dir: dir, jobs: mutantJobs,
		scaled: func(ctx context.Context, scale float64) (*rig.Launched, error) {
			return launchEmbedded(ctx, mutant, scale)
		}}
	return x.on(ctx, p)
}

// selection selects what judges a clause of the row, and the smoke set.
func (k *killing) selection(row stack.Mutant) func(harness.Scenario) bool {
	if row.Name == correct {
		return k.baselineSelection()
	}
	return func(s harness.Scenario) bool {
		return slices.Contains(smoke(), s.ID) ||
			slices.ContainsFunc(s.Clauses(), func(id harness.ClauseID) bool { return slices.Contains(row.Kills, string(id)) })
	}
}

func (k *killing) baselineSelection() func(harness.Scenario) bool {
	return func(s harness.Scenario) bool {
		return !k.partial || slices.ContainsFunc(k.rows, func(row stack.Mutant) bool { return k.selection(row)(s) })
	}
}
