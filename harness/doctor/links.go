package doctor

import (
	"strconv"
	"sync"

	"github.com/oncecheck/oncecheck/harness"
)

// links watches what comes through the dependencies while plain checkouts are made.
type links struct {
	journal harness.Journal
	mu      sync.Mutex
	use     harness.LinkUse
	stops   []func()
}

// watch follows the calls of all requests to come, where there is something to
// follow.
func (x *examination) watch(whole *harness.Target) {
	if whole.Journal == nil || !x.claimed(harness.CapDependencies) {
		return
	}
	x.links = &links{journal: whole.Journal}
	x.links.stops = append(x.links.stops, whole.Journal.Strays(x.links.add(false)))
}

// add keeps calls on the links that a profile declares.
func (l *links) add(mine bool) func(harness.Call) {
	return func(call harness.Call) {
		if call.Link == harness.LinkClient {
			return
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.use.Add(call, mine)
	}
}

// follow claims the values of a request: what carries one of them belongs to it.
func (l *links) follow(id string, vars map[string]any) {
	if l == nil {
		return
	}
	values := []string{id}
	for _, name := range []string{"cart", "correlationId", "amount"} {
		switch v := vars[name].(type) {
		case string:
			values = append(values, v)
		case int64:
			values = append(values, strconv.FormatInt(v, 10))
		}
	}
	l.stops = append(l.stops, l.journal.Follow(id, values, l.add(true)))
}

// calledAsDeclared says of each dependency whether the plain checkouts called it,
// by the same judge as a run's.
func (x *examination) calledAsDeclared() {
	if x.links == nil {
		return
	}
	for _, stop := range x.links.stops {
		stop()
	}
	watched := x.links
	x.links = nil
	for _, t := range watched.use.Judge(x.subject.Info.Links, x.subject.Info.PerSuccess) {
		if !t.Works && len(x.plains) == 0 {
			x.add(t.Name, Hint, "", "%s", t.Reason) // which may be why nothing was sold, or follow from it
			continue
		}
		if !t.Works {
			x.claimBroken(harness.CapDependencies, t.Name, "", t.Reason)
			continue
		}
		x.say(harness.CapDependencies, Works, "")
		x.add(t.Name, OK, "", "%s", t.Reason)
	}
}
