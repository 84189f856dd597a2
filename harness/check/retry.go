package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// RetriedExactly judges that a dependency operation whose first k exchanges were
// faulted was called exactly k+1 times for the one request that met them, and
// that the request then succeeded. Only calls until the caller asks again count,
// so that a repeat by the caller cannot pass for a retry of the target.
// After a commit a query may stand in for the repeated call.
func RetriedExactly(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		plans, order, err := faultPlans(h, pick)
		if err != nil {
			return harness.Undecided(err.Error())
		}
		firsts, down := firstByCase(h, pick), downstreamOf(h)
		for _, id := range order {
			if v := plans[id].judge(h, id, firsts[id], down.calls[id], down.window(firsts[id])); v.Outcome != harness.Pass {
				return v
			}
		}
		if len(order) == 0 {
			return harness.Undecided("no dependency fault was planned")
		}
		for _, id := range slices.Sorted(maps.Keys(firsts)) {
			if plans[id] == nil {
				return harness.Undecided("no dependency fault was planned in case " + label(h, id))
			}
		}
		return harness.Passed(fmt.Sprintf("%d faulted operations (%s), each repeated exactly as often as it failed", len(order), targets(plans)))
	}
}

// targets names the operations that were tried.
func targets(plans map[string]*faultPlan) string {
	names := map[string]bool{}
	for _, p := range plans {
		names[p.link+"/"+p.operation] = true
	}
	return strings.Join(slices.Sorted(maps.Keys(names)), ", ")
}

// faultPlan is what the scenario did to one operation of one case.
type faultPlan struct {
	link, operation string
	planned, fired  int
	committed       bool // the upstream had answered before the fault
}

func faultPlans(h *harness.History, pick Pick) (map[string]*faultPlan, []string, error) {
	plans := map[string]*faultPlan{}
	var order []string
	for e := range h.Events() {
		if e.Type != harness.FaultEvent || e.Fault.Stage != harness.FaultPlanned || !pick.accepts(h, e.Case) {
			continue
		}
		f, err := harness.ParseFault(e.Fault.Fault)
		if err != nil {
			return nil, nil, err
		}
		if f.Link == harness.LinkClient {
			continue
		}
		p := plans[e.Case]
		if p == nil {
			p = &faultPlan{link: f.Link, operation: f.Operation}
			plans[e.Case] = p
			order = append(order, e.Case)
		}
		if p.link != f.Link || p.operation != f.Operation {
			return nil, nil, fmt.Errorf("case %s plans faults on two operations", label(h, e.Case))
		}
		p.planned++
		p.committed = p.committed || f.Cut.Point == harness.CutAfterCommit
	}
	for _, c := range calls(h, pick) {
		if p := plans[c.Case]; p != nil && c.Call.Fault != "" {
			p.fired++
		}
	}
	return plans, order, nil
}

// firstByCase returns the one driven attempt of each case.
func firstByCase(h *harness.History, pick Pick) map[string]attempt {
	first := map[string]attempt{}
	for _, a := range keyed(attempts(h, pick)) {
		if _, ok := first[a.Invoke.Case]; !ok {
			first[a.Invoke.Case] = a
		}
	}
	return first
}

func (p *faultPlan) judge(h *harness.History, id string, first attempt, calls []harness.Event, w window) harness.Verdict {
	if p.fired == 0 {
		return harness.Undecided(fmt.Sprintf("no fault fired on %s/%s in case %s: the target never called it", p.link, p.operation, label(h, id)))
	}
	if first.Done.Seq == 0 {
		return harness.Undecided("the request of case "+label(h, id)+" never ended", first.Invoke.Seq)
	}
	made, asked := 0, 0
	var witness []int64
	for _, c := range calls {
		if c.Call.Link != p.link || c.Call.Started > w.to {
			continue
		}
		switch {
		case c.Call.Operation == p.operation:
			made++
			witness = append(witness, c.Seq)
		case isQuery(h, p.link, c.Call.Operation):
			asked++
			witness = append(witness, c.Seq)
		}
	}
	witness = append(witness, first.witness())
	want := p.planned + 1
	resolved := p.committed && asked > 0 && made >= 1 && made <= want
	if made != want && !resolved {
		return harness.Failed(fmt.Sprintf("exactly %d calls of %s/%s after %d fault(s) (case %s)", want, p.link, p.operation, p.planned, label(h, id)), fmt.Sprintf("%d calls and %d queries, then %s", made, asked, statusText(first)), witness...)
	}
	if first.class(h) != harness.ClassSuccess {
		return harness.Failed(fmt.Sprintf("a success once %s/%s answers (case %s)", p.link, p.operation, label(h, id)), statusText(first), witness...)
	}
	return harness.Passed("retried")
}

func isQuery(h *harness.History, link, operation string) bool {
	for _, l := range h.Header.Links {
		for _, o := range l.Operations {
			if l.Name == link && o.Name == operation {
				return o.Query
			}
		}
	}
	return false
}
