package check

import (
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
)

// CrowdSeed is the name of the crowd whose calls store a result each.
const CrowdSeed = "seed"

// FallbacksServed counts the calls of a series that were owed the stored result
// and did not get it. A call is owed it if the same caller got a result for the
// same item before, and its dependency failed; what is served has to be that
// result, and to say that it is stored.
func FallbacksServed(h *harness.History) harness.Measured {
	t := &fallbacks{stored: map[int]string{}}
	t.expected = "get the stored result of a dependency that failed"
	t.calls = newOpenCalls(toldLate, t.decide)
	for e := range h.Events() {
		switch {
		case inCrowd(e, CrowdSeed):
			t.sawSeed(e)
		case inCrowd(e, harness.CrowdCounted):
			t.calls.sawCall(e)
		case e.Type == harness.CallEvent && e.Call.Link == harness.LinkDependency && e.Call.Fault != "":
			if c := t.calls.by[harness.CallNumber(e.Call.Path)]; c != nil {
				c.met = true
			}
		}
		t.calls.forget(e.At)
	}
	t.calls.finish()
	t.doubt(t.unmade, "%d calls could not be made", t.unmade)
	t.doubt(t.unstored, "%d calls asked for an item of which no result was stored before", t.unstored)
	t.doubt(t.unmet, "%d calls did not meet the fault: nothing was owed to them", t.unmet)
	return t.claim(h)
}

type fallbacks struct {
	seriesTally
	calls                   *openCalls
	stored                  map[int]string // hash of the result, until it is asked for
	unmade, unstored, unmet int
}

func (t *fallbacks) sawSeed(e harness.Event) {
	if e.Type == harness.OK && e.Answer.Outcome == "" && e.Answer.Status == 200 && resultSource(e.Answer) != harness.SourceFallback && e.Answer.BodySHA256 != "" {
		t.stored[harness.CallNumber(e.Op)] = e.Answer.BodySHA256
	}
}

func (t *fallbacks) decide(c *seriesCall) {
	want, stored := t.stored[c.number]
	delete(t.stored, c.number)
	switch {
	case !c.returned || c.unsent:
		t.unmade++
		return
	case !stored:
		t.unstored++
		return
	case !c.met:
		t.unmet++
		return
	}
	t.counted++
	a := c.answer
	switch {
	case a == nil:
		t.violate(c.seq, fmt.Sprintf("call %d got no answer: %s", c.number, c.problem))
	case a.Outcome != "" || a.Status != 200 || resultSource(a) != harness.SourceFallback:
		t.violate(c.seq, fmt.Sprintf("call %d got status %d %s", c.number, a.Status, a.Code))
	case a.BodySHA256 != want:
		t.violate(c.seq, fmt.Sprintf("call %d got another result than was stored", c.number))
	}
}

func resultSource(a *harness.Answer) string {
	if v := a.Header[harness.SourceHeader]; len(v) == 1 {
		return v[0]
	}
	return ""
}
