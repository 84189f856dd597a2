package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// AcrossRestart begins the labels of experiments that a restart of the target
// meets.
const AcrossRestart = "restart"

// NothingDuplicated counts the experiments of a series whose ledger shows more
// than one success may leave: an effect too often, also if it was taken back,
// since the customer saw it, or one that was left without a success. An experiment
// counts only if two of its requests were at the target at the same time, its
// fault was met, and its last answer was final. Every kind of hardship of the plan
// has to be among those that count.
func NothingDuplicated(h *harness.History) harness.Measured {
	t := &duplicates{each: h.Header.PerSuccess, by: map[string]*experiment{}}
	t.expected = "leave each effect once"
	for e := range h.Events() {
		if e.Case != "" {
			t.saw(h.Header.Dialect, e)
		}
	}
	kinds := map[string]int{}
	for _, id := range slices.Sorted(maps.Keys(t.by)) {
		label := strings.TrimPrefix(id, h.Header.Scenario+"/")
		if t.decide(label, t.by[id]) {
			kinds[label[:strings.LastIndexByte(label, '-')]]++
		}
	}
	if h.Header.NFR != nil {
		for _, planned := range h.Header.NFR.Mix {
			kind, _, _ := strings.Cut(planned, ":")
			if kinds[kind] == 0 {
				t.open = append(t.open, fmt.Sprintf("no experiment with the hardship %q counts", kind))
			}
		}
	}
	if len(t.each) == 0 {
		t.open = append(t.open, "the profile does not say which effects one success leaves")
	}
	t.doubt(t.apart, "%d experiments had no two requests at the target at the same time", t.apart)
	t.doubt(t.unmet, "%d experiments did not meet their fault", t.unmet)
	t.doubt(t.unfinished, "%d experiments had no final answer", t.unfinished)
	t.doubt(t.without, "%d experiments were answered with a success and left no effect of some kind: the ledger does not show all", t.without)
	m := t.claim(h)
	if m.Outcome == harness.Pass {
		m.Reason += fmt.Sprintf("; %d requests in all, up to %d of one key at the same time", t.requests, t.most)
	}
	return m
}

type duplicates struct {
	seriesTally
	each                              map[string]int
	by                                map[string]*experiment
	apart, unmet, unfinished, without int
	requests, most                    int
}

// experiment is what is kept of one key.
type experiment struct {
	first    int64 // seq of the first event
	at       []moment
	orders   map[string]bool
	success  bool
	terminal bool
	gross    map[string]int // effects that were made
	net      map[string]int // less those that were undone
	extra    int64          // seq of the first effect too many
	planned  int            // faults
	fired    int
}

// moment is when a request came to the target, or left it.
type moment struct {
	at   time.Duration
	step int
}

func (t *duplicates) saw(d harness.Dialect, e harness.Event) {
	x := t.by[e.Case]
	if x == nil {
		x = &experiment{first: e.Seq, orders: map[string]bool{}, gross: map[string]int{}, net: map[string]int{}}
		t.by[e.Case] = x
	}
	switch e.Type {
	case harness.Invoke:
		t.requests++
	case harness.OK:
		class := d.Classify(*e.Answer)
		x.terminal = x.terminal || class.Terminal()
		if class == harness.ClassSuccess {
			x.success = true
			if e.Answer.OrderID != "" { // an answer without one names no other order
				x.orders[e.Answer.OrderID] = true
			}
		}
	case harness.CallEvent:
		if c := e.Call; c.Link == harness.LinkClient && c.Forwarded > 0 {
			left := c.Answered
			if left == 0 {
				left = c.Ended // it never answered
			}
			x.at = append(x.at, moment{c.Forwarded, 1}, moment{left, -1})
		}
	case harness.EffectEvent:
		kind := e.Effect.Kind
		if undone := harness.Reversed(kind); undone != "" {
			x.net[undone]--
			return
		}
		x.net[kind]++
		if x.gross[kind]++; x.gross[kind] > t.each[kind] && t.each[kind] > 0 && x.extra == 0 {
			x.extra = e.Seq
		}
	case harness.FaultEvent:
		switch e.Fault.Stage {
		case harness.FaultPlanned:
			x.planned++
		case harness.FaultFired:
			x.fired++
		}
	}
}

// overlap is how many requests were at the target at the same time at most.
func (x *experiment) overlap() int {
	slices.SortFunc(x.at, func(a, b moment) int {
		if a.at != b.at {
			return int(a.at - b.at)
		}
		return a.step - b.step // who leaves at the time that another comes did not meet him
	})
	now, most := 0, 0
	for _, m := range x.at {
		now += m.step
		most = max(most, now)
	}
	return most
}

// decide reports whether the experiment counts. A duplicate is one whether or
// not the rest of the experiment went as planned, and whatever else is missing.
func (t *duplicates) decide(label string, x *experiment) bool {
	together := x.overlap()
	t.most = max(t.most, together)
	if found := x.duplicate(t.each); found != "" {
		t.counted++
		t.gross++ // no lag of ours makes an effect
		t.violate(max(x.extra, x.first), label+" "+found)
		return true
	}
	switch {
	case x.success && x.lacks(t.each):
		t.without++
	case !x.terminal:
		t.unfinished++
	case together < 2:
		t.apart++
	case x.fired < x.planned:
		t.unmet++
	default:
		t.counted++
		return true
	}
	return false
}

// duplicate tells what the experiment left or told too often, or "".
func (x *experiment) duplicate(each map[string]int) string {
	for _, kind := range slices.Sorted(maps.Keys(each)) {
		switch gross, net := x.gross[kind], x.net[kind]; {
		case gross > each[kind], net < 0:
			return fmt.Sprintf("left %d %s", gross, kind) + takenBack(gross-net)
		case net > 0 && x.terminal && !x.success:
			return fmt.Sprintf("left %d %s without a success", net, kind)
		}
	}
	if len(x.orders) > 1 {
		return fmt.Sprintf("was told %d different orders", len(x.orders))
	}
	return ""
}

func takenBack(n int) string {
	if n < 1 {
		return ""
	}
	return fmt.Sprintf(" and took back %d", n)
}

// lacks reports whether less is left of some kind than a success leaves.
func (x *experiment) lacks(each map[string]int) bool {
	for kind, n := range each {
		if x.net[kind] < n {
			return true
		}
	}
	return false
}
