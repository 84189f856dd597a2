package check

import (
	"fmt"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// CorrelationKept judges that the id of the last call of each case is on every
// request that it made, and on what came back: in an error as its member, in an
// answer of a gateway in its header. Behind a shim a success shows only what the
// dependency said.
func CorrelationKept(pick Pick) func(*harness.History) harness.Verdict {
	return eachCase(pick, func(_ *harness.History, c clientCase) harness.Verdict {
		last := c.last()
		id := last.request().CorrelationID
		if id == "" {
			return c.undecided("the call carried no correlation id")
		}
		if v := c.carries(last, id); v.Outcome != harness.Pass {
			return v
		}
		return harness.Passed(fmt.Sprintf("the caller's id is on %d requests and on what came back", len(c.during(last))), c.witnesses()...)
	})
}

// carries judges that an id is on all requests of a call and on its result.
func (c clientCase) carries(a attempt, id string) harness.Verdict {
	sent := c.during(a)
	if len(sent) == 0 {
		return c.undecided("no request reached the dependency: " + came(a))
	}
	for _, e := range sent {
		if e.Call.CorrelationID != id {
			return c.failCall(a, fmt.Sprintf("correlation id %q on each request", id), fmt.Sprintf("%q on request %d", e.Call.CorrelationID, e.Call.Index))
		}
	}
	for _, got := range returned(a) {
		if got.id != id {
			return c.failCall(a, fmt.Sprintf("correlation id %q in %s", id, got.where), fmt.Sprintf("%q, in %s", got.id, came(a)))
		}
	}
	return harness.Passed("the id is kept")
}

type returnedID struct{ where, id string }

// returned lists the places in which what came back has to hold an id.
func returned(a attempt) []returnedID {
	if !a.answered() {
		return nil
	}
	answer := a.Done.Answer
	var places []returnedID
	if a.request().Operation == harness.OpGateway {
		places = append(places, returnedID{"the answer's header", strings.Join(valuesOf(answer.Header, harness.CorrelationHeader), ", ")})
	}
	if answer.Outcome == harness.OutcomeError || typed(a) {
		places = append(places, returnedID{"the error", answer.CorrelationID})
	}
	return places
}

// CorrelationMade judges calls whose caller brings no id: one is made once for
// each of them, which no other call has.
func CorrelationMade(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		owner := map[string]string{}
		return eachCase(pick, func(_ *harness.History, c clientCase) harness.Verdict {
			last := c.last()
			if id := last.request().CorrelationID; id != "" {
				return c.undecided("its caller brought an id, " + id)
			}
			sent := c.during(last)
			if len(sent) == 0 {
				return c.undecided("no request reached the dependency: " + came(last))
			}
			id := sent[0].Call.CorrelationID
			if id == "" {
				return c.fail("a correlation id on each request, made by the client", "none")
			}
			if other := owner[id]; other != "" {
				return c.fail("a correlation id of its own for each call", fmt.Sprintf("%q, which case %s has, too", id, other))
			}
			owner[id] = c.label
			if v := c.carries(last, id); v.Outcome != harness.Pass {
				return v
			}
			return harness.Passed(fmt.Sprintf("one id was made, for %d requests and the result", len(sent)), c.witnesses()...)
		})(h)
	}
}

// InjectedHeader is the line that a hostile correlation id tries to add.
const InjectedHeader = "X-Oncecheck-Injected"

// maxCorrelation is more than any correlation id is in need of.
const maxCorrelation = 1024

// CorrelationGuarded judges calls whose caller brings an id that is hostile: it
// is refused or replaced, and never passed on as it came. A call with a plain id
// has to show that ids are passed on at all.
func CorrelationGuarded(hostile, plain Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		if v := CorrelationKept(plain)(h); v.Outcome != harness.Pass {
			return harness.Undecided("a plain id is not kept, so nothing tells what becomes of a hostile one: "+v.Reason, v.Witness...)
		}
		return eachCase(hostile, func(_ *harness.History, c clientCase) harness.Verdict {
			last := c.last()
			for _, e := range c.during(last) {
				for _, line := range e.Call.Lines {
					switch {
					case strings.EqualFold(line[0], InjectedHeader):
						return c.fail("no header line that a correlation id brought with it", line[0]+": "+line[1])
					case strings.EqualFold(line[0], harness.CorrelationHeader) && badCorrelation(line[1]):
						return c.fail("a correlation id of printable ASCII and of a bounded length", fmt.Sprintf("%d bytes: %.60q", len(line[1]), line[1]))
					}
				}
			}
			if n := len(c.during(last)); n > 0 {
				return harness.Passed("the hostile id was replaced", c.witnesses()...)
			}
			if succeeded(last) {
				return c.undecided("it succeeded, and no request reached the dependency")
			}
			return harness.Passed("the call was refused: "+came(last), c.witnesses()...)
		})(h)
	}
}

func badCorrelation(value string) bool {
	if len(value) > maxCorrelation {
		return true
	}
	for _, r := range value {
		if r < 0x20 || r > 0x7e {
			return true
		}
	}
	return false
}
