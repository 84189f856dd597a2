package reports

import (
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// The signs of fault rows, beside the names of actions.
const (
	signArmed  = "armed"
	signFired  = "fired"
	signLifted = "lifted"
)

// faults adds when each fault was armed and lifted. That it fired shows at the
// exchange it hit; only where no exchange tells is it a row of its own.
func (b *builder) faults(x exchanges) {
	shown := map[string]bool{}
	for _, a := range x.attempts {
		if a.wire != nil {
			shown[a.wire.Fault] = true
		}
	}
	for _, c := range x.calls {
		shown[c.Fault] = true
	}
	for _, e := range x.faults {
		r := row{kind: rowFault, at: e.At, to: b.links[faultLink(e.Fault.Fault)], detail: e.Fault.Fault, seqs: []int64{e.Seq}}
		switch {
		case e.Fault.Stage == harness.FaultPlanned:
			r.sign, r.label = signArmed, "armed "+oneLine(e.Fault.Fault)
		case e.Fault.Stage == harness.FaultLifted:
			r.sign, r.label = signLifted, "lifted, "+fired(e.Fault.Fired)
		case e.Fault.Stage == harness.FaultFired && !shown[e.Fault.Fault]:
			r.sign, r.label = signFired, "fired "+oneLine(e.Fault.Fault)
		default:
			continue
		}
		if e.Fault.Detail != "" {
			r.label += ": " + oneLine(e.Fault.Detail)
		}
		b.add(r)
	}
}

func fired(n int) string {
	switch n {
	case 0:
		return "never fired"
	case 1:
		return "fired once"
	}
	return "fired " + plural(n, "time")
}

// faultLink returns the link of a fault in its text form, also of one that this
// version cannot parse.
func faultLink(fault string) string {
	if i := strings.IndexAny(fault, "/#:"); i >= 0 {
		return fault[:i]
	}
	return fault
}
