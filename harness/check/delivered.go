package check

import (
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
)

// ReplayedOrRefused judges that a request which differs from the first one of its
// key in its delivery alone is answered with what that one brought. A target may
// refuse what it cannot serve, such as a type of content, which says nothing; that
// it is another request it may not say.
func ReplayedOrRefused(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		again, refused := 0, 0
		for _, group := range groups(h, keyed(attempts(h, pick))) {
			original, name := firstInvoked(group), label(h, group[0].Invoke.Case)
			if original.class(h) != harness.ClassSuccess {
				return harness.Undecided("the first request of case "+name+" did not succeed: "+statusText(original), original.witness())
			}
			for _, a := range group {
				switch {
				case a.Invoke.Seq == original.Invoke.Seq:
					continue
				case !a.answered():
					return harness.Undecided("no answer to the repeat of case "+name+": "+a.Done.Error, a.witness())
				case a.class(h) == harness.ClassRefused:
					refused++
					continue
				}
				again++
				if expected, observed := differs(h.Header.Dialect, *original.Done.Answer, *a.Done.Answer); observed != "" {
					return harness.Failed(fmt.Sprintf("%s, whatever the headers %v said (case %s)", expected, a.request().Headers, name), observed, original.witness(), a.witness())
				}
			}
		}
		switch {
		case again == 0 && refused > 0:
			return harness.Inapplicable(several(refused, "repeat") + " refused as ones that cannot be served so")
		case again == 0:
			return harness.Undecided("no request was repeated")
		}
		return harness.Passed(fmt.Sprintf("%s, each taken for the first request; %d refused", several(again, "other delivery"), refused))
	}
}
