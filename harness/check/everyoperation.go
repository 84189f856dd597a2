package check

import (
	"fmt"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// OnEveryOperation judges further only where the checkout and every other keyed
// operation of the profile were called: those of pick are what is judged, and
// those of works have to succeed, which shows that they can.
func OnEveryOperation(judge func(*harness.History) harness.Verdict, pick, works Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		v := judge(h)
		if v.Outcome != harness.Pass {
			return v
		}
		tried, succeeded := map[string]bool{}, map[string]bool{}
		for _, a := range keyed(attempts(h, pick)) {
			tried[a.request().Operation] = true
		}
		for _, a := range keyed(attempts(h, works)) {
			op := a.request().Operation
			succeeded[op] = succeeded[op] || a.class(h) == harness.ClassSuccess
		}
		names := []string{harness.OpCheckout}
		for _, o := range h.Header.Operations {
			names = append(names, o.Name)
		}
		for _, name := range names {
			switch {
			case !tried[name]:
				return harness.Undecided("nobody tried " + name)
			case !succeeded[name]:
				return harness.Undecided("nobody succeeded with " + name + ", so its refusal shows nothing")
			}
		}
		if len(names) < 2 {
			return harness.Undecided("the profile lists no operation but the checkout (operations)")
		}
		v.Reason += fmt.Sprintf("; operations: %s", strings.Join(names, ", "))
		return v
	}
}
