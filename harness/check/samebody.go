package check

import (
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
)

// SameBody judges that each attempt of each case carries the same body, in full.
// Of a call through a shim that is the body which its caller gave; a gateway may
// make another one of it, and sticks to that.
func SameBody(pick Pick) func(*harness.History) harness.Verdict {
	return eachCase(pick, func(_ *harness.History, c clientCase) harness.Verdict {
		for _, e := range c.conns {
			if e.Conn.Problem != "" {
				return c.fail("each request to arrive in full", e.Conn.Problem)
			}
		}
		if v := c.alone(); v.Reason != "" {
			return v
		}
		first := c.sent[0].Call
		if asked := c.calls[0].request(); asked.Operation == harness.OpCall {
			switch {
			case asked.BodySHA256 == "" && first.BodyBytes > 0:
				return c.fail("a request without a body", fmt.Sprintf("one of %d bytes", first.BodyBytes))
			case asked.BodySHA256 != "" && asked.BodySHA256 != first.BodySHA256:
				return c.fail(fmt.Sprintf("the caller's body, SHA-256 %.12s", asked.BodySHA256), fmt.Sprintf("%d bytes, SHA-256 %.12s", first.BodyBytes, first.BodySHA256))
			}
		}
		for i, e := range c.sent[1:] {
			if e.Call.BodySHA256 != first.BodySHA256 || e.Call.BodyBytes != first.BodyBytes {
				return c.fail(fmt.Sprintf("attempt %d to carry the body of the first: %d bytes, SHA-256 %.12s", i+2, first.BodyBytes, first.BodySHA256),
					fmt.Sprintf("%d bytes, SHA-256 %.12s", e.Call.BodyBytes, e.Call.BodySHA256))
			}
		}
		return harness.Passed(fmt.Sprintf("%d attempts with the same %d bytes", len(c.sent), first.BodyBytes), c.witnesses()...)
	})
}
