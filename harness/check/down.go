package check

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// window is the time in which a dependency call of a case can only have been
// caused by one attempt: from its sending to the next thing that happens to the
// case by our doing.
type window struct{ from, to time.Duration }

// downstream knows what the links carried and when.
type downstream struct {
	calls    map[string][]harness.Event
	invokes  map[string][]time.Duration
	released map[string]harness.Event
	strays   []harness.Event
	unused   []string // links that not even a plain checkout calls
}

func downstreamOf(h *harness.History) downstream {
	d := downstream{calls: callsByCase(h, All()), invokes: map[string][]time.Duration{}, released: marks(h, MarkReleased), strays: strays(h), unused: h.Header.UnusedLinks}
	for e := range h.Events() {
		if e.Type == harness.Invoke {
			d.invokes[e.Case] = append(d.invokes[e.Case], e.At)
		}
	}
	return d
}

// window of an attempt: until the next attempt of its case begins, or a first
// request that was held goes on, or for ever.
func (d downstream) window(a attempt) window {
	w := window{a.Invoke.At, math.MaxInt64}
	for _, at := range d.invokes[a.Invoke.Case] {
		if at > a.Invoke.At && at < w.to {
			w.to = at
		}
	}
	if r, ok := d.released[a.Invoke.Case]; ok && r.At > a.Invoke.At && r.At < w.to {
		w.to = r.At
	}
	return w
}

// untouched judges that a refused attempt reached no dependency, neither before
// its answer nor behind it. A call under a provider key that the case used before
// is the work of an earlier request; a call that belongs to no case may be this
// one's, so that nothing can be concluded.
func (d downstream) untouched(h *harness.History, a attempt) harness.Verdict {
	w := d.window(a)
	earlier := map[string]bool{}
	for _, c := range d.calls[a.Invoke.Case] {
		switch {
		case c.Call.Started < w.from:
			earlier[c.Call.Key] = true
		case c.Call.Started <= w.to && (c.Call.Key == "" || !earlier[c.Call.Key]):
			return harness.Failed("no dependency call for a refused request (case "+label(h, a.Invoke.Case)+")", callText(c), a.witness(), c.Seq)
		}
	}
	return d.hidden(w, a.witness())
}

// hidden is undecided if a call could have been made and not be seen as one of the
// case: if a declared link is none that the target uses, or if a call that belongs
// to no case fell into the window.
func (d downstream) hidden(w window, witness int64) harness.Verdict {
	if len(d.unused) > 0 {
		return harness.Undecided(fmt.Sprintf("no plain checkout called dependencies.%s through us, so that its silence proves nothing", strings.Join(d.unused, ", dependencies.")), witness)
	}
	for _, c := range d.strays {
		if c.Call.Started >= w.from && c.Call.Started <= w.to {
			return harness.Undecided(fmt.Sprintf("%s belongs to no case and fell into the time that matters; declare how such calls are attributed (dependencies.%s.attribute or attributeHeader)", callText(c), c.Call.Link), witness, c.Seq)
		}
	}
	return harness.Passed("none seen")
}

func callText(c harness.Event) string {
	return c.Call.Method + " " + c.Call.Path + " on link " + c.Call.Link
}
