package check

import (
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
)

// IntactAfterMismatch judges that a request with another body under the key, once
// it is refused, has left the original's answer as it was.
func IntactAfterMismatch(pick Pick) func(*harness.History) harness.Verdict {
	return Unless(MismatchAllowed, func(h *harness.History) harness.Verdict {
		judged := 0
		for _, group := range groups(h, keyed(attempts(h, pick))) {
			id, original := label(h, group[0].Invoke.Case), firstInvoked(group)
			terminal := terminalAnswers(h, group)
			if len(terminal) == 0 {
				return harness.Undecided("no terminal answer in case " + id)
			}
			first, refused, again := terminal[0], attempt{}, 0
			for _, a := range group {
				switch {
				case !sameBody(a, original):
					if a.mismatched(h) {
						refused = a
					}
				case refused.Done.Seq != 0 && a.Invoke.Seq > refused.Done.Seq && a.answered():
					again++
					if expected, observed := differs(h.Header.Dialect, *first.Done.Answer, *a.Done.Answer); observed != "" {
						return harness.Failed(expected+", after another body was refused", observed, first.witness(), refused.witness(), a.witness())
					}
				}
			}
			if again == 0 {
				return harness.Undecided("the original of case " + id + " was not repeated after another body was refused")
			}
			judged += again
		}
		if judged == 0 {
			return harness.Undecided("no keyed request was sent")
		}
		return harness.Passed(fmt.Sprintf("%d originals answered as before, after another body was refused", judged))
	})
}
