package doctor

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// ledger is the effects probe with where the ledger stood.
type ledger struct {
	probe harness.Probe
	since int64
}

// effects reads the ledger once. That a probe reads says little: what it must
// show is that it sees one checkout, which only --send or the run can tell.
func (x *examination) effects(ctx context.Context) {
	if !x.claimed(harness.CapEffects) {
		return
	}
	if x.subject.FakeLedger {
		x.say(harness.CapEffects, NotTried, "our own provider fake keeps them")
		x.add("effects", Untried, "", "are the ledger of our own provider fake, which is empty until a run; its positive control makes two checkouts and expects %s of each", perSuccess(x.subject.Info))
		return
	}
	const next = "check effects: the address, the credentials, the query and the names of its columns or members"
	target, undo, err := x.subject.Open(ctx, Part{Kind: PartEffects})
	if err != nil {
		x.claimBroken(harness.CapEffects, "effects", next, err.Error())
		return
	}
	defer x.undo(ctx, undo)
	entries, err := target.Probe.Effects(ctx, 0)
	if err != nil {
		x.claimBroken(harness.CapEffects, "effects", next, err.Error())
		return
	}
	read := "reads: the ledger is empty"
	if len(entries) > 0 {
		read = "reads: " + counted(entries)
	}
	if x.options.Send {
		x.add("effects", OK, "", "%s", read)
		return
	}
	x.say(harness.CapEffects, NotTried, "it reads; whether it sees a checkout was not tried")
	x.add("effects", OK, "", "%s; a run begins with two plain checkouts and expects to see %s of each (--send makes one now)", read, perSuccess(x.subject.Info))
}

func perSuccess(i harness.TargetInfo) string {
	var parts []string
	for _, kind := range slices.Sorted(maps.Keys(i.PerSuccess)) {
		parts = append(parts, fmt.Sprintf("%d %s", i.PerSuccess[kind], kind))
	}
	return strings.Join(parts, ", ")
}

func counted(entries []harness.Effect) string {
	count := map[string]int{}
	for _, e := range entries {
		count[e.Kind]++
	}
	var parts []string
	for _, kind := range slices.Sorted(maps.Keys(count)) {
		parts = append(parts, fmt.Sprintf("%d %s", count[kind], kind))
	}
	return strings.Join(parts, ", ")
}

// quiet is how long the ledger must not grow before it is counted.
const quiet = 300 * time.Millisecond

// openLedger notes where the ledger stands.
func openLedger(ctx context.Context, probe harness.Probe) (*ledger, error) {
	entries, err := probe.Effects(ctx, 0)
	if err != nil {
		return nil, err
	}
	l := &ledger{probe: probe}
	for _, e := range entries {
		l.since = max(l.since, e.Seq)
	}
	return l, nil
}

// gained waits until the ledger does not grow any more, and counts what belongs
// to the case.
func (l *ledger) gained(ctx context.Context, owned func(harness.Effect) bool) (map[string]int, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	ticker := time.NewTicker(quiet / 3)
	defer ticker.Stop()
	last, since := -1, time.Now()
	for {
		entries, err := l.probe.Effects(ctx, l.since)
		if err != nil {
			return nil, err
		}
		if len(entries) != last {
			last, since = len(entries), time.Now()
		}
		if time.Since(since) >= quiet {
			count := map[string]int{}
			for _, e := range entries {
				if owned(e) {
					count[e.Kind]++
				}
			}
			return count, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("the ledger did not become quiet: %w", ctx.Err())
		case <-ticker.C:
		}
	}
}
