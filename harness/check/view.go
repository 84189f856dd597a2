package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// attempt is one request with how it ended. Done has no Type if the history
// ends before the attempt did.
type attempt struct {
	Invoke harness.Event
	Done   harness.Event
}

// answered reports whether a complete answer arrived.
func (a attempt) answered() bool { return a.Done.Type == harness.OK && a.Done.Answer != nil }

// request returns the attempt as it was sent, or as it was meant if it never
// ended.
func (a attempt) request() harness.Request {
	if a.Done.Request != nil {
		return *a.Done.Request
	}
	return *a.Invoke.Request
}

// witness returns the event that shows best how the attempt went.
func (a attempt) witness() int64 {
	if a.Done.Seq != 0 {
		return a.Done.Seq
	}
	return a.Invoke.Seq
}

// scope identifies what a server must treat as one idempotent request: keys are
// never shared between cases but on purpose.
type scope struct {
	Case string
	harness.Scope
}

func (a attempt) scope(h *harness.History) scope {
	return scope{a.Invoke.Case, h.Header.Dialect.ScopeOf(a.request())}
}

// class is what the answer means in the history's dialect; an attempt without
// an answer has none.
func (a attempt) class(h *harness.History) harness.Class {
	if !a.answered() {
		return harness.ClassUnknown
	}
	return h.Header.Dialect.Classify(*a.Done.Answer)
}

// mismatched reports whether the answer may be a mismatch, even if the dialect
// answers a request in progress alike.
func (a attempt) mismatched(h *harness.History) bool {
	return a.answered() && h.Header.Dialect.Mismatch.Matches(*a.Done.Answer)
}

// sameBody reports whether two attempts asked for the same.
func sameBody(a, b attempt) bool { return a.request().BodySHA256 == b.request().BodySHA256 }

// statusText tells how an attempt was answered.
func statusText(a attempt) string {
	if !a.answered() {
		return "no answer: " + a.Done.Error
	}
	return strings.TrimSpace(fmt.Sprintf("status %d %s", a.Done.Answer.Status, a.Done.Answer.Code))
}

// attempts returns the attempts of the cases that pick accepts, by invocation.
func attempts(h *harness.History, pick Pick) []attempt {
	var list []attempt
	index := map[string]int{}
	for e := range h.Events() {
		if e.Request == nil || !pick.accepts(h, e.Case) {
			continue
		}
		if e.Type == harness.Invoke {
			index[e.Op] = len(list)
			list = append(list, attempt{Invoke: e})
		} else if i, ok := index[e.Op]; ok {
			list[i].Done = e
		}
	}
	return list
}

// keyed keeps the attempts of mutating operations.
func keyed(list []attempt) []attempt {
	return slices.DeleteFunc(slices.Clone(list), func(a attempt) bool { return a.request().Operation == harness.OpStatus })
}

// groups sorts attempts by scope, in order of first appearance; within a group
// they are ordered by completion, unfinished ones last.
func groups(h *harness.History, list []attempt) [][]attempt {
	var order []scope
	by := map[scope][]attempt{}
	for _, a := range list {
		s := a.scope(h)
		if _, ok := by[s]; !ok {
			order = append(order, s)
		}
		by[s] = append(by[s], a)
	}
	out := make([][]attempt, 0, len(order))
	for _, s := range order {
		g := by[s]
		slices.SortStableFunc(g, func(a, b attempt) int {
			switch {
			case a.Done.Seq == 0 && b.Done.Seq == 0:
				return 0
			case a.Done.Seq == 0:
				return 1
			case b.Done.Seq == 0:
				return -1
			}
			return int(a.Done.Seq - b.Done.Seq)
		})
		out = append(out, g)
	}
	return out
}

// calls returns the dependency calls of the picked cases, in the order in which
// they started.
func calls(h *harness.History, pick Pick) []harness.Event {
	var list []harness.Event
	for e := range h.Events() {
		if e.Type == harness.CallEvent && e.Case != "" && e.Call.Link != harness.LinkClient && pick.accepts(h, e.Case) {
			list = append(list, e)
		}
	}
	slices.SortStableFunc(list, func(a, b harness.Event) int { return int(a.Call.Started - b.Call.Started) })
	return list
}

// strays returns the dependency calls that belong to no case.
func strays(h *harness.History) []harness.Event {
	var list []harness.Event
	for e := range h.Events() {
		if e.Type == harness.CallEvent && e.Case == "" {
			list = append(list, e)
		}
	}
	return list
}

// Pick chooses cases by their label within the scenario. The zero Pick takes
// all of them.
type Pick struct{ prefixes []string }

// All picks every case.
func All() Pick { return Pick{} }

// Labelled picks cases whose label begins with one of the prefixes.
func Labelled(prefixes ...string) Pick { return Pick{prefixes} }

func (p Pick) accepts(h *harness.History, caseID string) bool {
	if len(p.prefixes) == 0 {
		return true
	}
	label := strings.TrimPrefix(caseID, h.Header.Scenario+"/")
	return slices.ContainsFunc(p.prefixes, func(prefix string) bool { return strings.HasPrefix(label, prefix) })
}

// callsByCase sorts the dependency calls of the picked cases by case.
func callsByCase(h *harness.History, pick Pick) map[string][]harness.Event {
	by := map[string][]harness.Event{}
	for _, c := range calls(h, pick) {
		by[c.Case] = append(by[c.Case], c)
	}
	return by
}

// marks returns the first mark of that name in each case.
func marks(h *harness.History, name string) map[string]harness.Event {
	by := map[string]harness.Event{}
	for e := range h.Events() {
		if e.Type != harness.MarkEvent || e.Mark.Name != name {
			continue
		}
		if _, seen := by[e.Case]; !seen {
			by[e.Case] = e
		}
	}
	return by
}
