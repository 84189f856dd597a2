package harness

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// turns are the scenarios of a run by when they have their turn.
type turns struct {
	first   []Scenario // at most one: alone until it hands the target back, and then beside the shared ones
	waiting []Scenario // side by side, mostly waiting for limits
	brisk   []Scenario // side by side and beside those, mostly at work
	last    []Scenario // alone to their end
	client  []Scenario // beside those, where nothing reaches the client that is done to the target
}

// newTurns sorts scenarios into turns.
//
// What acts on the target's processes is done in a moment and then waits for
// seconds: a record whose worker died stays leased for a while. All that is left
// of such a scenario is to ask, as its callers would, and to wait until its ledger
// is quiet, and both go by its own cases: it can do that beside others. So one of
// them begins. It cannot spoil the others: a session hands the target back when its
// drive function has returned, every fault is lifted and every change is seen to be
// undone, and from then on is refused whatever needs the target alone. Nor can they
// spoil it: no shared scenario is allowed more than it is.
//
// It is one at most: a second would disturb what the first still waits for. And
// none that measures times, which may have to be repeated, alone again.
//
// Of those that share the target, the ones that last and the ones that measure times wait
// for limits: as many as may are under way at once, the longest first, since what
// waits longest must not begin last. The others are at work from their beginning to
// their end, and a machine that is busy with all of them at once would spoil the times
// that are measured beside them. They wait for each other meanwhile.
//
// What disturbs only a client that is apart has its turn beside what disturbs the
// target; a [holder] keeps the two from each other.
func newTurns(planned []Scenario, policy Policy, clientApart bool) turns {
	var t turns
	for _, s := range planned {
		switch {
		case !s.Exclusive && s.waits():
			t.waiting = append(t.waiting, s)
		case !s.Exclusive:
			t.brisk = append(t.brisk, s)
		case s.handsBack() && len(t.first) == 0:
			t.first = append(t.first, s)
		case s.ClientOnly && clientApart:
			t.client = append(t.client, s)
		default:
			t.last = append(t.last, s)
		}
	}
	longestFirst(t.waiting, policy)
	return t
}

// longestFirst brings forward what lasts longest under a policy: what is begun last
// is then over soonest.
func longestFirst(scenarios []Scenario, policy Policy) {
	slices.SortStableFunc(scenarios, func(a, b Scenario) int { return cmp.Compare(b.lasts(policy), a.lasts(policy)) })
}

// waits reports whether a scenario waits for most of its time.
func (s Scenario) waits() bool { return s.Long != nil || s.Timed || s.Lasts > 0 }

// lasts returns about how long a scenario takes under a policy. One that measures
// times and says nothing else may well wait for the whole of a call.
func (s Scenario) lasts(policy Policy) time.Duration {
	switch {
	case s.Lasts > 0:
		return s.Lasts
	case s.Long != nil:
		return s.Long(policy)
	case s.Timed:
		return policy.Client.Total.Std()
	}
	return 0
}

// handsBack reports whether an exclusive scenario gives the target back before its
// end.
func (s Scenario) handsBack() bool {
	return !s.Timed && slices.ContainsFunc([]Capability{CapProcessControl, CapProcessKill, CapProcessPause}, func(c Capability) bool { return slices.Contains(s.Needs, string(c)) })
}

// take carries out all turns, jobs shared scenarios at a time. One gets a function
// with which its scenario may hand the target back. Calmer is called when little of
// the shared ones is left that does not wait, and may be called again.
func (t turns) take(jobs int, one func(s Scenario, handBack func()) error, calmer func()) error {
	alone := func(s Scenario) error { return one(s, func() {}) }
	shared := func() error { return t.share(jobs, alone, calmer) }
	opening := shared
	if len(t.first) > 0 {
		opening = func() error {
			return beside(func(handBack func()) error { return one(t.first[0], handBack) }, shared)
		}
	}
	if err := opening(); err != nil {
		return err
	}
	return Parallel(2, func(i int) error {
		for _, s := range [][]Scenario{t.last, t.client}[i] {
			if err := alone(s); err != nil {
				return err
			}
		}
		return nil
	})
}

// fewAtWork is how many may still be at work on a machine that is calm: none of them
// lasts for long.
const fewAtWork = 2

// share carries out what shares the target: of so many jobs a third is for what is
// mostly at work, and what is not needed for waiting.
func (t turns) share(jobs int, one func(Scenario) error, calmer func()) error {
	defer calmer()
	some := func(jobs int, scenarios []Scenario) error {
		return parallelLimit(jobs, len(scenarios), func(i int) error { return one(scenarios[i]) })
	}
	atWork := max(jobs/3, jobs-len(t.waiting), 1)
	if jobs == atWork {
		return some(jobs, slices.Concat(t.waiting, t.brisk))
	}
	return Parallel(2, func(i int) error {
		if i == 0 {
			return some(jobs-atWork, t.waiting)
		}
		defer calmer()
		var left atomic.Int64
		left.Store(int64(len(t.brisk)))
		return parallelLimit(atWork, len(t.brisk), func(i int) error {
			defer func() {
				if left.Add(-1) <= fewAtWork {
					calmer()
				}
			}()
			return one(t.brisk[i])
		})
	})
}

// beside begins with first, and adds others once first hands back, at the latest
// when it ends. It returns when both have ended.
func beside(first func(handBack func()) error, others func() error) error {
	handedBack := make(chan struct{})
	handBack := sync.OnceFunc(func() { close(handedBack) })
	return Parallel(2, func(i int) error {
		if i == 0 {
			defer handBack()
			return first(handBack)
		}
		<-handedBack
		return others()
	})
}
