package check

import (
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// reservationLimit bounds how long a caller may be refused for the sake of a
// reservation of his own that nobody knows to be his.
const reservationLimit = 60 * time.Second

// NoLastingConflict judges that who repeats a request whose reservation was kept
// and its answer lost ends with a success in bounded time: a target that takes its
// own reservation for somebody else's refuses him for ever.
func NoLastingConflict(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		n, bitten := 0, 0
		for _, group := range groups(h, keyed(attempts(h, pick))) {
			first, last, ended := firstInvoked(group), attempt{}, false
			if _, down := marks(h, MarkStoreDown)[first.Invoke.Case]; !down {
				return harness.Undecided("no answer of the store was lost in case " + label(h, first.Invoke.Case))
			}
			if first.class(h) != harness.ClassSuccess {
				bitten++
			}
			for _, a := range group {
				if a.Done.Seq != 0 {
					last = a
				}
				ended = ended || a.class(h) == harness.ClassSuccess && a.Done.At-first.Invoke.At <= reservationLimit
			}
			switch {
			case last.Done.Seq == 0 || !last.answered():
				return harness.Undecided("the request of case "+label(h, first.Invoke.Case)+" has no last answer", first.witness())
			case !ended:
				return harness.Failed(fmt.Sprintf("a success within %s for who repeats the request of case %s, whose reservation is his own", reservationLimit, label(h, first.Invoke.Case)), statusText(last), first.witness(), last.witness())
			}
			n++
		}
		switch {
		case n == 0:
			return harness.Undecided("no answer of the store was lost")
		case bitten == 0:
			return harness.Undecided("every request succeeded at once, so nothing shows that an answer of the store was lost")
		}
		return harness.Passed(fmt.Sprintf("%s ended with a success", several(n, "request")))
	}
}
