package check

import (
	"fmt"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// CreatedResult judges that the first answer to each request of the pick is a
// success that brings its result: request, order, state, attempts and correlation.
func CreatedResult(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		judged := 0
		for _, group := range groups(h, keyed(attempts(h, pick))) {
			first := firstInvoked(group)
			if !first.answered() || first.class(h) != harness.ClassSuccess {
				return harness.Undecided("the first request of case "+label(h, first.Invoke.Case)+" did not succeed: "+statusText(first), first.witness())
			}
			a := first.Done.Answer
			if !a.JSON {
				return harness.Failed("a result as a JSON object", fmt.Sprintf("%d bytes of something else", a.BodyBytes), first.witness())
			}
			var lacks []string
			for _, part := range []struct {
				name string
				has  bool
			}{{"requestId", a.RequestID != ""}, {"orderId", a.OrderID != ""}, {"state", a.State != ""},
				{"attemptCount", a.AttemptCount != nil}, {"correlationId", a.CorrelationID != ""}} {
				if !part.has {
					lacks = append(lacks, part.name)
				}
			}
			if len(lacks) > 0 {
				return harness.Failed("a result with requestId, orderId, state, attemptCount and correlationId", "none of "+strings.Join(lacks, ", "), first.witness())
			}
			judged++
		}
		if judged == 0 {
			return harness.Undecided("no keyed request was sent")
		}
		return harness.Passed(fmt.Sprintf("%d first answers with their whole result", judged))
	}
}
