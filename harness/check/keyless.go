package check

import (
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
)

// KeylessTolerated judges that requests without a key were executed, each as an
// order of its own.
func KeylessTolerated(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		shown, n := map[string]attempt{}, 0
		for _, a := range keyed(attempts(h, pick)) {
			name := label(h, a.Invoke.Case)
			switch {
			case len(a.request().Keys) > 0:
				return harness.Undecided("a request of case "+name+" carried a key", a.witness())
			case !a.answered():
				return harness.Undecided("no answer to a request without a key in case "+name+": "+a.Done.Error, a.witness())
			case a.class(h) != harness.ClassSuccess:
				return harness.Failed("a success without a key while none is required (case "+name+")", statusText(a), a.witness())
			}
			for _, id := range namedIn(*a.Done.Answer) {
				if other, seen := shown[id]; seen {
					return harness.Failed("an order of its own for each request without a key (case "+name+")", id+" again", other.witness(), a.witness())
				}
				shown[id] = a
			}
			n++
		}
		if n == 0 {
			return harness.Undecided("no request without a key was sent")
		}
		return harness.Passed(fmt.Sprintf("%s without a key executed", several(n, "request")))
	}
}
