package check

import (
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
)

// NeverReplayed judges that a call which may be made only once, one that changes
// something and has no key, reaches the dependency so often: once, or never
// behind a door that is shut. A client that declares to make keys (autoKey) may
// send it again under one.
func NeverReplayed(pick Pick, arrives int) func(*harness.History) harness.Verdict {
	return eachCase(pick, func(h *harness.History, c clientCase) harness.Verdict {
		n := len(c.sent)
		knocks := 0
		if arrives == 0 {
			knocks = knocked(h, c)
		}
		if arrives == 0 && knocks == 0 {
			return harness.Undecided("the call of case "+c.label+" came when the door was open", c.witnesses()...)
		}
		if c.watched == 0 {
			return harness.Undecided("the dependency of case "+c.label+" was not watched after the call", c.witnesses()...)
		}
		if keys, same := oneKey(c); makesKeys(h) && same && n > 0 && keys[0] != "" && n <= h.Header.Policy.Client.Retries+1 {
			return harness.Passed(several(n, "request")+" under a key that the client made", c.witnesses()...)
		}
		what := fmt.Sprintf("%d, then %s", n, outcomeOf(c))
		switch {
		case n != arrives:
			return c.fail(between(arrives, arrives, "request")+" at the dependency for a call that has no key", what)
		case makesKeys(h):
		case arrives == 0 && len(c.conns) > 0 || knocks > 1:
			return c.fail("nobody to come back to the dependency for a call that has no key", fmt.Sprintf("%s to connect at a shut door and %d at an open one, then %s", several(knocks, "attempt"), len(c.conns), outcomeOf(c)))
		}
		return harness.Passed(between(n, n, "request")+" at the dependency", c.witnesses()...)
	})
}
