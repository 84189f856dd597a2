package check

import (
	"fmt"
	"slices"

	"github.com/oncecheck/oncecheck/harness"
)

// CodeOf judges that each first request of the pick was answered with one of the
// statuses and that code: what the situation of its case asks for.
func CodeOf(pick Pick, code string, statuses ...int) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		n := 0
		for _, a := range keyed(attempts(h, pick)) {
			if a.request().Attempt > 1 {
				continue
			}
			if !a.answered() {
				return harness.Undecided("no answer in case "+label(h, a.Invoke.Case)+": "+a.Done.Error, a.witness())
			}
			if got := a.Done.Answer; got.Code != code || !slices.Contains(statuses, got.Status) {
				return harness.Failed(fmt.Sprintf("%v %s in case %s", statuses, code, label(h, a.Invoke.Case)), statusText(a), a.witness())
			}
			n++
		}
		if n == 0 {
			return harness.Undecided("nothing was sent in that situation")
		}
		return harness.Passed(fmt.Sprintf("%d times %s", n, code))
	}
}
