package check

import (
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// silent judges that a client leaves its dependency alone from some moment of
// each case on, unless from says why there is none: no request and no connection
// begins later than Early after it. What goes on unseen proves nothing, so the
// dependency has to be watched for as long as until says, counted from the start
// of the call.
func silent(pick Pick, what string, from func(h *harness.History, c clientCase) (since time.Duration, why string), until func(harness.ClientPolicy) time.Duration) func(*harness.History) harness.Verdict {
	return eachCase(pick, func(h *harness.History, c clientCase) harness.Verdict {
		began := c.calls[0].Invoke.At
		since, why := from(h, c)
		if why != "" {
			return c.undecided(why)
		}
		for _, e := range c.sent {
			if late := e.Call.Started - since; late > Early {
				return c.fail("no request "+what, fmt.Sprintf("one that came %s later, %s after the call began", seconds(late), seconds(e.Call.Started-began)))
			}
		}
		for _, e := range c.conns {
			if late := e.Conn.Opened - since; late > Early {
				return c.fail("no connection "+what, fmt.Sprintf("one that was opened %s later, %s after the call began", seconds(late), seconds(e.Conn.Opened-began)))
			}
		}
		if needed := until(h.Header.Policy.Client); c.watched-began < needed-Early {
			return harness.Undecided(fmt.Sprintf("the dependency of case %s was not watched for %s", c.label, seconds(needed)), c.witnesses()...)
		}
		return harness.Passed(fmt.Sprintf("nothing began %s, watched for %s", what, seconds(c.watched-began)), c.witnesses()...)
	})
}

// QuietAfterReturn judges that nothing begins once the last call of a case has
// returned. Of one that was given up while it went on nobody can tell.
func QuietAfterReturn(pick Pick, until func(harness.ClientPolicy) time.Duration) func(*harness.History) harness.Verdict {
	return silent(pick, "after the call had returned", func(_ *harness.History, c clientCase) (time.Duration, string) {
		last := c.calls[len(c.calls)-1]
		if !last.answered() {
			return 0, "the call did not return: " + outcomeOf(c)
		}
		return last.Done.At, ""
	}, until)
}

// NothingLater judges that nothing begins later than a limit after the start of
// the call.
func NothingLater(pick Pick, limit, until func(harness.ClientPolicy) time.Duration) func(*harness.History) harness.Verdict {
	return silent(pick, "beyond the limit", func(h *harness.History, c clientCase) (time.Duration, string) {
		return c.calls[0].Invoke.At + limit(h.Header.Policy.Client), ""
	}, until)
}
