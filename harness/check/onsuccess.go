package check

import (
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
)

// StopsOnSuccess judges that the client goes on until its dependency answers
// well, and no further: the last request of each case, and no other, is the one
// that was.
func StopsOnSuccess(pick Pick) func(*harness.History) harness.Verdict {
	return eachCase(pick, func(_ *harness.History, c clientCase) harness.Verdict {
		good := 0
		for _, e := range c.sent {
			if e.Call.Outcome == harness.CallAnswered && e.Call.Status < 400 {
				good++
			}
		}
		what := fmt.Sprintf("%s, %d answered well, then %s", requests(len(c.sent)), good, outcomeOf(c))
		switch {
		case len(c.sent) == 0:
			return c.fail("requests until one is answered well", "none, then "+outcomeOf(c))
		case good == 0:
			return c.fail("a further attempt after the failures, which is answered well", what)
		case good > 1:
			return c.fail("no attempt after the one that was answered well", what)
		}
		return harness.Passed(what, c.witnesses()...)
	})
}
