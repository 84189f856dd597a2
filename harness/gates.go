package harness

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"time"
)

// proof is what a history shows about the experiment itself, apart from what it
// shows about the target.
type proof struct {
	ended       bool
	problems    []string // errors of the experiment
	settled     bool
	unsettled   string
	unresolved  []string
	interrupted bool
	vanished    string           // what the probe showed and then no more
	lost        string           // why the target could not be reached
	withheld    string           // why the run's own limits spoiled the experiment
	lag         map[string]int64 // of the harness itself, nil if nobody watched
	faults      []FaultResult
	barriers    map[string]int64 // callers that a barrier released, by case
	overlap     map[string]int   // peak in flight at the target, by case
	duration    time.Duration
}

// collect walks the history once.
func collect(h *History) proof {
	p := proof{barriers: map[string]int64{}, overlap: map[string]int{}}
	spans := map[string][]span{}
	began := time.Duration(-1)
	for e := range h.Events() {
		if began < 0 {
			began = e.At
		}
		p.duration = max(p.duration, e.At-began)
		switch e.Type {
		case FaultEvent:
			p.sawFault(e.Case, *e.Fault)
		case MarkEvent:
			p.sawMark(e)
		case CallEvent:
			if c := e.Call; c.Link == LinkClient && c.Forwarded > 0 && h.Header.NFR == nil { // nobody asks a series for overlap, and it has no end of calls
				end := c.Answered
				if end == 0 {
					end = c.Ended
				}
				spans[e.Case] = append(spans[e.Case], span{c.Forwarded, end})
			}
		}
	}
	for id, s := range spans {
		p.overlap[id] = peak(s)
	}
	return p
}

func (p *proof) sawFault(c string, r FaultRecord) {
	i := slices.IndexFunc(p.faults, func(f FaultResult) bool { return f.Case == c && f.Fault == r.Fault })
	if i < 0 {
		p.faults = append(p.faults, FaultResult{Case: c, Fault: r.Fault})
		i = len(p.faults) - 1
	}
	f := &p.faults[i]
	switch r.Stage {
	case FaultPlanned:
		f.Planned, f.Trap = true, r.Trap
	case FaultFired:
		f.Fired = max(f.Fired, r.Fired, 1)
	case FaultObserved:
		f.Observed = true
	case FaultLifted:
		f.Lifted = r.Detail == "" // a fault whose lease expired was not lifted by the experiment
		f.Fired = max(f.Fired, r.Fired)
	}
}

func (p *proof) sawMark(e Event) {
	switch e.Mark.Name {
	case MarkEnd:
		p.ended = true
	case MarkInterrupted:
		p.interrupted = true
	case MarkVanished:
		p.vanished = e.Mark.Detail
	case MarkLost:
		p.lost = e.Mark.Detail
	case MarkWithheld:
		p.withheld = e.Mark.Detail
	case MarkError:
		p.problems = append(p.problems, e.Mark.Detail)
	case MarkSettled:
		p.settled = true
	case MarkUnsettled:
		p.unsettled = e.Mark.Detail
	case MarkPending:
		p.unresolved = append(p.unresolved, e.Mark.Detail)
	case MarkLag:
		p.lag = e.Mark.Count
	case MarkBarrier:
		p.barriers[e.Case] = e.Mark.Count["callers"]
	}
}

// demote turns a pass that was not earned into inconclusive. A failure stays a
// failure whatever else went wrong, unless it may rest on what is missing: an
// experiment that was interrupted, a target that was gone (its ledger still
// counts), or a ledger that was never read.
func (p *proof) demote(h *History, c Check, v Verdict) Verdict {
	switch {
	case v.Outcome == NotApplicable:
		return v
	case p.interrupted:
		return Undecided("the run was interrupted")
	case c.Gates.Effects && p.vanished != "" && v.Outcome != NotVerified:
		return Undecided(p.vanished)
	case c.Gates.Effects && !p.settled && v.Outcome == Fail:
		return Undecided("the effects were never read: " + p.unsettled)
	}
	if p.lost != "" && (v.Outcome != Fail || !c.Gates.Effects) {
		return Undecided("the target could not be reached any more: " + p.lost)
	}
	if lagged := p.lagged(); c.Gates.Timing && lagged != "" {
		return Undecided(lagged)
	}
	if p.withheld != "" && !p.standsWithheld(c, v) {
		return Undecided(p.withheld)
	}
	if v.Outcome == Inconclusive && len(p.problems) > 0 && p.problems[0] != v.Reason {
		return Undecided("the experiment could not be carried out: " + p.problems[0] + "; " + v.Reason)
	}
	if v.Outcome != Pass {
		return v
	}
	switch {
	case h.Err() != nil:
		return Undecided("the history cannot be read: " + h.Err().Error())
	case !p.ended:
		return Undecided("the history has no end: the run was interrupted")
	case len(p.problems) > 0:
		return Undecided("the experiment could not be carried out: " + p.problems[0])
	case h.Header.Control.Outcome != Pass:
		return Undecided("without a positive control nothing is believed: " + h.Header.Control.Reason)
	}
	for _, f := range p.faults {
		if !f.Proven() {
			return Undecided(fmt.Sprintf("fault %s was not proven in %s: planned %v, fired %d times, observed %v, lifted %v", f.Fault, f.Case, f.Planned, f.Fired, f.Observed, f.Lifted))
		}
	}
	if c.Gates.Overlap {
		if len(p.barriers) == 0 {
			return Undecided("no barrier released concurrent callers")
		}
		if n, met := p.met(); !met {
			return Undecided(fmt.Sprintf("in no round of %d callers did requests overlap at the target", n))
		}
	}
	if c.Gates.Effects {
		switch {
		case p.unsettled != "":
			return Undecided(p.unsettled)
		case !p.settled:
			return Undecided("the effects were never read")
		case len(p.unresolved) > 0:
			return Undecided("an outcome stayed unknown: " + p.unresolved[0])
		}
	}
	return v
}

// standsWithheld reports whether a failure stands although the run's limits held
// requests back: what the ledger shows does, unless an outcome that nobody could
// ask for any more would explain it. Nothing that was not sent makes a second
// effect (I1).
func (p *proof) standsWithheld(c Check, v Verdict) bool {
	return v.Outcome == Fail && c.Gates.Effects && (len(p.unresolved) == 0 || c.Invariant == "I1")
}

// met reports whether requests really met at the target: for each size of crowd
// in one of its rounds at least, since a scheduler can always keep two callers of
// one round apart. Otherwise it returns the size that never did.
func (p *proof) met() (callers int64, met bool) {
	overlapped := map[int64]bool{}
	for id, n := range p.barriers {
		overlapped[n] = overlapped[n] || p.overlap[id] >= 2
	}
	for _, n := range slices.Sorted(maps.Keys(overlapped)) {
		if !overlapped[n] {
			return n, false
		}
	}
	return 0, true
}

type span struct{ from, to time.Duration }

// peak returns the largest number of spans that share an instant. Touching ends
// do not overlap.
func peak(spans []span) int {
	type edge struct {
		at    time.Duration
		delta int
	}
	edges := make([]edge, 0, 2*len(spans))
	for _, s := range spans {
		edges = append(edges, edge{s.from, 1}, edge{s.to, -1})
	}
	sort.Slice(edges, func(i, j int) bool {
		if edges[i].at != edges[j].at {
			return edges[i].at < edges[j].at
		}
		return edges[i].delta < edges[j].delta
	})
	now, most := 0, 0
	for _, e := range edges {
		now += e.delta
		most = max(most, now)
	}
	return most
}
