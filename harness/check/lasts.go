package check

import (
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// Span is a range of times that depends on what the client declares. A nil end
// is open.
type Span struct {
	From, To func(harness.ClientPolicy) time.Duration
}

// Lasts judges how long the last call of each case lasted, for who asked for it.
func Lasts(pick Pick, span Span) func(*harness.History) harness.Verdict {
	return eachCase(pick, func(h *harness.History, c clientCase) harness.Verdict {
		d := took(c.calls[len(c.calls)-1])
		low, high, wanted := span.bounds(h.Header.Policy.Client)
		if d < low || high > 0 && d > high {
			return c.fail("a call that lasts "+wanted, seconds(d)+", then "+outcomeOf(c))
		}
		return harness.Passed("it lasted "+seconds(d), c.witnesses()...)
	})
}

// bounds returns the ends of the span under a policy; high is 0 if it is open.
func (s Span) bounds(p harness.ClientPolicy) (low, high time.Duration, wanted string) {
	if s.From != nil {
		low = s.From(p)
	}
	if s.To != nil {
		high = s.To(p)
	}
	switch {
	case high == 0:
		return low, 0, "at least " + seconds(low)
	case low == 0:
		return 0, high, "at most " + seconds(high)
	}
	return low, high, seconds(low) + " to " + seconds(high)
}

// seconds writes a time with milliseconds.
func seconds(d time.Duration) string { return fmt.Sprintf("%.3f s", d.Seconds()) }
