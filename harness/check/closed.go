package check

import (
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
)

// ClosedAfterReturn judges that an exchange that was under way when the call
// ended was cancelled, and its connection closed, by the time that cleanup is
// granted. A thread that was left behind keeps both.
func ClosedAfterReturn(pick Pick) func(*harness.History) harness.Verdict {
	return eachCase(pick, func(_ *harness.History, c clientCase) harness.Verdict {
		last := c.calls[len(c.calls)-1]
		if !last.answered() {
			return c.undecided("the call did not return: " + outcomeOf(c))
		}
		returned := last.Done.At
		latest := returned + Cleanup
		cut := map[int64]bool{} // connections by number
		for _, e := range c.untilReturn() {
			left := e.Call.Outcome == harness.CallPeerLeft
			switch {
			case e.Call.Ended > latest:
				return c.fail("the exchange under way to end "+seconds(Cleanup)+" after the call returned at the latest", seconds(e.Call.Ended-returned)+" after it, "+string(e.Call.Outcome))
			case e.Call.Ended > returned && !left:
				return harness.Undecided("the dependency of case "+c.label+" ended the exchange itself, before the client had the time to", c.witnesses()...)
			case left:
				cut[e.Call.Conn] = true
			}
		}
		if sent := c.untilReturn(); len(sent) == 0 || !cut[sent[len(sent)-1].Call.Conn] {
			return harness.Undecided("no exchange of case "+c.label+" was under way when the call ended", c.witnesses()...)
		}
		for _, e := range c.conns {
			if cut[e.Conn.ID] && e.Conn.Closed > latest {
				return c.fail("its connection to be closed "+seconds(Cleanup)+" after the call returned at the latest", fmt.Sprintf("%s after it, by the %s", seconds(e.Conn.Closed-returned), e.Conn.By))
			}
		}
		return harness.Passed("the exchange under way was cancelled, its connection closed", c.witnesses()...)
	})
}

// ConnectionsLeft judges how many connections of each case are still open when
// the watch of its dependency ends, which has to be later than cleanup takes.
func ConnectionsLeft(pick Pick, most int) func(*harness.History) harness.Verdict {
	return eachCase(pick, func(_ *harness.History, c clientCase) harness.Verdict {
		switch {
		case len(c.conns) == 0:
			return harness.Undecided("nobody connected to the dependency of case "+c.label, c.witnesses()...)
		case c.watched < c.calls[len(c.calls)-1].Done.At+Cleanup-Early:
			return harness.Undecided("the dependency of case "+c.label+" was not watched until the client had the time to close", c.witnesses()...)
		}
		open := 0
		for _, e := range c.conns {
			if e.Conn.Closed >= c.watched {
				open++
			}
		}
		if open > most {
			return c.fail("at most "+fmt.Sprint(most)+" open connections after the calls", fmt.Sprintf("%d of %d", open, len(c.conns)))
		}
		return harness.Passed(fmt.Sprintf("%d of %d connections still open", open, len(c.conns)), c.witnesses()...)
	})
}
