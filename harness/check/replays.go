package check

import (
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
)

// SendsLast is Sends for the last call of each case alone, after others have
// left open connections behind: a transport that finds one of them dead may send
// the request again by itself, and each such copy counts.
func SendsLast(pick Pick, want func(harness.ClientPolicy) (least, most int)) func(*harness.History) harness.Verdict {
	return eachCase(pick, func(h *harness.History, c clientCase) harness.Verdict {
		least, most := want(h.Header.Policy.Client)
		last := c.calls[len(c.calls)-1]
		if len(c.calls) == 1 {
			return harness.Undecided("no earlier call of case "+c.label+" left a connection behind", c.witnesses()...)
		}
		for _, a := range c.calls[:len(c.calls)-1] {
			if !a.answered() || a.Done.Answer.Outcome != "" || a.Done.Answer.Status >= 400 {
				return harness.Undecided("an earlier call of case "+c.label+" did not succeed: "+statusText(a), c.witnesses()...)
			}
		}
		used := map[int64]bool{}
		n, again := 0, 0
		for _, e := range c.sent {
			switch {
			case e.Call.Started < last.Invoke.At:
				used[e.Call.Conn] = true
			case used[e.Call.Conn]:
				again++
				fallthrough
			default:
				n++
			}
		}
		what := fmt.Sprintf("%s for the last call, %d on connections that had been used before", requests(n), again)
		if n < least || n > most {
			return c.fail(between(least, most, "request")+" at the dependency", what)
		}
		return harness.Passed(what, c.witnesses()...)
	})
}
