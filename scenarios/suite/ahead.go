package suite

import (
	"context"
	"sync"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/scenarios/door"
)

// ahead carries out scenarios before their specs ask for them. Ginkgo runs the
// specs of one process one after another, and a scenario that measures time
// mostly waits: together they take as long as the longest of them. So does one that
// disturbs a target, where there are twins for it.
type ahead struct {
	chosen map[string]bool // ids of the scenarios that some spec will ask for
	cancel context.CancelFunc
	done   sync.WaitGroup
	tried  map[string]*outcome
}

// outcome is what became of a scenario, once ready is closed.
type outcome struct {
	ready  chan struct{}
	result door.Result
	err    error
}

// aheadJobs is how many scenarios wait side by side.
const aheadJobs = 16

// choose asks Ginkgo which specs will run: filters are its own affair, and what
// they leave out must not be driven.
func choose(texts map[string]string) map[string]bool {
	chosen := map[string]bool{}
	for _, spec := range ginkgo.PreviewSpecs("oncecheck").SpecReports {
		if id, ok := texts[spec.LeafNodeText]; ok && !spec.State.Is(types.SpecStateSkipped|types.SpecStatePending) {
			chosen[id] = true
		}
	}
	return chosen
}

// start begins with the chosen scenarios that measure time and may share the
// target, and with those that have a twin for themselves.
func (a *ahead) start(run *door.Run, all []harness.Scenario) {
	ctx, cancel := context.WithCancel(context.Background())
	a.cancel, a.tried = cancel, map[string]*outcome{}
	slots := make(chan struct{}, aheadJobs)
	for _, s := range all {
		apart := s.Exclusive && run.Twinned()
		if !a.chosen[s.ID] || !apart && (!s.Timed || s.Exclusive) {
			continue
		}
		o := &outcome{ready: make(chan struct{})}
		a.tried[s.ID] = o
		a.done.Go(func() {
			defer close(o.ready)
			if !apart { // those wait for each other as it is
				slots <- struct{}{}
				defer func() { <-slots }()
			}
			o.result, o.err = run.Try(ctx, s)
		})
	}
}

// try returns what became of the scenario, or carries it out now. One that
// disturbs the target for everybody waits until nobody else uses it.
func (a *ahead) try(ctx context.Context, run *door.Run, s harness.Scenario) (door.Result, error) {
	o := a.tried[s.ID]
	if s.Exclusive && o == nil {
		a.done.Wait()
	}
	if o == nil {
		return run.Try(ctx, s)
	}
	select {
	case <-o.ready:
		return o.result, o.err
	case <-ctx.Done():
		return door.Result{}, context.Cause(ctx)
	}
}

// end stops what nobody asked for, and waits for it.
func (a *ahead) end() {
	if a.cancel != nil {
		a.cancel()
	}
	a.done.Wait()
}
