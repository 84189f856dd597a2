package check

import (
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// AttemptLasts judges how long the n-th attempt of each case was under way, from
// the request's last byte to the moment in which its peer saw the end of it.
// Where the call may be sent only once, as a POST without a key, the call itself
// has to last as long: its caller must not wait for more than the attempt.
//
// The peer may see the request late, and so the attempt shorter than it was. It
// is too short only if it is even from the end of the one before, or from the
// start of the call.
func AttemptLasts(pick Pick, n int, span Span) func(*harness.History) harness.Verdict {
	return eachCase(pick, func(h *harness.History, c clientCase) harness.Verdict {
		low, high, wanted := span.bounds(h.Header.Policy.Client)
		within := func(d time.Duration) bool { return d >= low && (high == 0 || d <= high) }
		if last := c.calls[len(c.calls)-1]; n == 1 && singleShot(last.request()) {
			if d := took(last); !within(d) {
				return c.fail("a call of one attempt that lasts "+wanted, seconds(d)+", then "+outcomeOf(c))
			}
		}
		if len(c.sent) < n {
			return harness.Undecided(fmt.Sprintf("attempt %d of case %s did not reach the dependency, only %d did", n, c.label, len(c.sent)), c.witnesses()...)
		}
		call, began := c.sent[n-1].Call, c.calls[len(c.calls)-1].Invoke.At
		if n > 1 {
			began = c.sent[n-2].Call.Ended
		}
		d := call.Ended - call.Started
		if high > 0 && d > high || call.Ended-began < low {
			return c.fail(fmt.Sprintf("attempt %d to last %s", n, wanted), seconds(d)+", then "+outcomeOf(c))
		}
		return harness.Passed(fmt.Sprintf("attempt %d lasted %s", n, seconds(d)), c.witnesses()...)
	})
}

// singleShot reports whether a call may be sent once only: it changes something
// and has no key.
func singleShot(r harness.Request) bool {
	return (r.Method == "POST" || r.Method == "PATCH") && len(r.Keys) == 0
}
