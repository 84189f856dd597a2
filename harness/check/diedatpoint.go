package check

import (
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
)

// DiedAtPoint judges further only where the process died at its point under every
// request of the pick.
func DiedAtPoint(pick Pick, judge func(*harness.History) harness.Verdict) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		died, n := marks(h, harness.MarkCrashed), 0
		for _, group := range groups(h, keyed(attempts(h, pick))) {
			if _, ok := died[group[0].Invoke.Case]; !ok {
				return harness.Undecided("no process died under the request of case " + label(h, group[0].Invoke.Case))
			}
			n++
		}
		if n == 0 {
			return harness.Undecided("no process died at a point")
		}
		v := judge(h)
		if v.Outcome == harness.Pass {
			v.Reason = fmt.Sprintf("%s, each under a process that died at its point: %s", several(n, "request"), v.Reason)
		}
		return v
	}
}
