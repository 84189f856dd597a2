package reports

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// diagram is one case as a sequence: lifelines from left to right, rows from
// top to bottom in order of time. It knows nothing of coordinates.
type diagram struct {
	label   string
	lanes   []lane
	rows    []row
	bands   []band
	more    int  // exchanges left out
	witness bool // one of the rows is a witness
}

type laneKind int

const (
	laneCaller laneKind = iota
	laneTarget
	laneDependency
	laneLedger
)

type lane struct {
	name string
	kind laneKind
}

type rowKind int

const (
	rowArrow  rowKind = iota
	rowMark           // something that happened at one lifeline
	rowFault          // a fault was armed, fired or lifted
	rowEffect         // an entry of the ledger
	rowRule           // a milestone of the whole experiment
)

// reach says which part of the way an arrow makes. The wire of a link is the
// place, between two lifelines, where the harness cuts it.
type reach int

const (
	arrives    reach = iota
	endsOnWire       // from its sender to the wire
	fromWire         // from the wire to its receiver
)

// row is one thing that happened.
type row struct {
	kind     rowKind
	at       time.Duration // since the case began
	from, to int           // lanes; for a mark and a fault: to; for an effect without a call: from is 0
	reach    reach
	answer   bool
	sign     string // of the fault that acted on it: an action's name
	label    string
	note     string // what the fault did, or what else went wrong
	detail   string // for a tooltip
	seqs     []int64
	witness  bool
}

// band is the time a fault was armed on the wire before a lane.
type band struct{ lane, first, last int }

// drawing is what drawing needs to know besides the story.
type drawing struct {
	header  harness.Header
	kinds   map[string]string // link/operation: the kind of effect it leaves
	witness map[int64]bool
}

// diagram turns a story into a sequence.
func (d drawing) diagram(s story) diagram {
	x := sortOut(s.events)
	more := x.thin(d.witness) + s.dropped
	b := builder{drawing: d, start: storyStart(s.events)}
	b.out.label, b.out.more = s.label, more
	b.lanes(x)
	for _, a := range x.attempts {
		b.attempt(a)
	}
	owners := b.effectOwners(x)
	for i, c := range x.calls {
		b.call(c, owners[i])
	}
	for _, e := range owners[noOwner] {
		b.effect(e, b.effectTime(e), 0)
	}
	for _, e := range x.marks {
		b.mark(e)
	}
	b.faults(x)
	b.finish()
	return b.out
}

func storyStart(events []harness.Event) time.Duration {
	start := noTime
	for _, e := range events {
		if e.Case != "" {
			start = min(start, e.At)
		}
		if e.Call != nil {
			start = min(start, e.Call.Started)
		}
	}
	if start == noTime {
		return 0
	}
	return start
}

// noTime is later than any event.
const noTime = time.Duration(math.MaxInt64)

// builder gathers the rows of one diagram.
type builder struct {
	drawing
	out    diagram
	start  time.Duration
	target int            // lane
	links  map[string]int // lane of each dependency
	ledger int            // lane, -1 without
	again  map[[2]string]int
}

func (b *builder) lanes(x exchanges) {
	for _, name := range x.seat() {
		b.out.lanes = append(b.out.lanes, lane{name, laneCaller})
	}
	if len(b.out.lanes) == 0 {
		b.out.lanes = append(b.out.lanes, lane{"caller", laneCaller})
	}
	b.target = len(b.out.lanes)
	b.out.lanes = append(b.out.lanes, lane{cmp.Or(b.header.Target, "target"), laneTarget})
	b.links = map[string]int{harness.LinkClient: b.target}
	appears := func(link string) {
		if _, ok := b.links[link]; !ok {
			b.links[link] = len(b.out.lanes)
			b.out.lanes = append(b.out.lanes, lane{link, laneDependency})
		}
	}
	for _, c := range x.calls {
		appears(c.Link)
	}
	for _, e := range x.faults {
		appears(faultLink(e.Fault.Fault))
	}
	b.ledger = -1
	if len(x.effects) > 0 || slices.Contains(b.header.Capabilities, harness.CapEffects) {
		b.ledger = len(b.out.lanes)
		b.out.lanes = append(b.out.lanes, lane{"ledger", laneLedger})
	}
	b.again = map[[2]string]int{}
}

// add appends a row; at is still on the run's clock.
func (b *builder) add(r row) {
	r.at -= b.start
	for _, seq := range r.seqs {
		r.witness = r.witness || b.witness[seq]
	}
	b.out.witness = b.out.witness || r.witness
	b.out.rows = append(b.out.rows, r)
}

func (b *builder) mark(e harness.Event) {
	m := e.Mark
	if m.Name == harness.MarkEnd {
		return
	}
	text := m.Name
	if m.Name == harness.MarkSettled {
		text = "settled: the ledger was quiet and was read"
	}
	if m.Detail != "" {
		text = m.Name + ": " + m.Detail
	}
	b.add(row{kind: rowRule, at: e.At, label: oneLine(text), seqs: []int64{e.Seq}})
}

// finish orders the rows by time and finds between which of them each fault
// was armed.
func (b *builder) finish() {
	slices.SortStableFunc(b.out.rows, func(p, q row) int { return cmp.Compare(p.at, q.at) })
	open := map[string]int{}
	for i, r := range b.out.rows {
		if r.kind != rowFault {
			continue
		}
		first, armed := open[r.detail]
		switch {
		case !armed:
			open[r.detail] = i
		case r.sign == signLifted:
			b.out.bands = append(b.out.bands, band{r.to, first, i})
			delete(open, r.detail)
		}
	}
	for i, r := range b.out.rows {
		if first, armed := open[r.detail]; armed && first == i && r.kind == rowFault {
			b.out.bands = append(b.out.bands, band{r.to, i, len(b.out.rows) - 1})
		}
	}
}
