package check

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// MarkAged counts, in ms, by how much a case's stored result was made older than
// it is: the clock was moved.
const MarkAged = "aged"

// Limits of what an age in whole seconds may be off by.
const ageTolerance = time.Second

// AgeTold judges that a served result says how old it is. The clock was moved
// between the two calls.
func AgeTold(pick Pick) func(*harness.History) harness.Verdict {
	served := FallbackServed(pick)
	return func(h *harness.History) harness.Verdict {
		if v := served(h); v.Outcome != harness.Pass {
			return v
		}
		moved := marks(h, MarkAged)
		return eachCase(pick, func(h *harness.History, c clientCase) harness.Verdict {
			mark, ok := moved[c.calls[0].Invoke.Case]
			if !ok {
				return c.undecided("nothing made its result older")
			}
			proof := c.last()
			high := proof.Done.At - c.calls[0].Invoke.At + time.Duration(mark.Mark.Count["offsetMs"])*time.Millisecond
			low := proof.Invoke.At - c.calls[0].Done.At + time.Duration(mark.Mark.Count["offsetMs"])*time.Millisecond
			value := strings.Join(valuesOf(proof.Done.Answer.Header, "Age"), ", ")
			age, err := strconv.ParseInt(value, 10, 64)
			if err != nil || time.Duration(age)*time.Second < low-ageTolerance || time.Duration(age)*time.Second > high+ageTolerance {
				return c.failCall(proof, fmt.Sprintf("Age: %d, give or take one", int64(low/time.Second)), fmt.Sprintf("Age: %q", value))
			}
			return harness.Passed("the served result says its age, "+value+" s", c.witnesses()...)
		})(h)
	}
}

// TooOldRefused judges that a result beyond the declared age is not served, while
// a younger one of the run is.
func TooOldRefused(old, young Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		if len(clientCases(h, old)) == 0 {
			return harness.Undecided("no call of the client was made")
		}
		if h.Header.Gateway == nil || h.Header.Gateway.MaxAge == 0 {
			return harness.Verdict{Outcome: harness.NotVerified, Reason: "the profile declares no age limit (gateway.maxAge)"}
		}
		if v := FallbackServed(young)(h); v.Outcome != harness.Pass {
			return harness.Undecided("not even a young result is served: "+v.Reason, v.Witness...)
		}
		moved := marks(h, MarkAged)
		return eachCase(old, func(h *harness.History, c clientCase) harness.Verdict {
			s, v := asStored(c, false)
			if v.Outcome != harness.Pass {
				return v
			}
			mark, ok := moved[s.seed.Invoke.Case]
			if limit := h.Header.Gateway.MaxAge.Std(); !ok || time.Duration(mark.Mark.Count["offsetMs"])*time.Millisecond <= limit {
				return c.undecided("its result is not older than " + limit.String())
			}
			switch a := s.proof; {
			case s.bytes(a) || fromStore(a) || succeeded(a):
				return c.failCall(a, "status 503 or 504, for the stored result is older than "+h.Header.Gateway.MaxAge.Std().String(), came(a))
			case a.answered() && (a.Done.Answer.Status == 401 || a.Done.Answer.Status == 403):
				return c.undecided("the caller's credentials do not outlast the limit: " + came(a))
			case !gaveUp(a):
				return c.failCall(a, "status 503 or 504", came(a))
			}
			return harness.Passed("a result that is too old was not served", c.witnesses()...)
		})(h)
	}
}
