package check

import (
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
)

// TerminalAtOnce judges that undisturbed checkouts are answered with what became
// of them: pending is for those that durably are.
func TerminalAtOnce(pick Pick, least int) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		terminal := 0
		for _, a := range keyed(attempts(h, pick)) {
			if a.request().Final {
				continue // the engine asks again where it was not told at once
			}
			switch class := a.class(h); {
			case !a.answered():
				return harness.Undecided("no answer to an undisturbed checkout: "+a.Done.Error, a.witness())
			case class == harness.ClassPending, class != harness.ClassUnknown && a.Done.Answer.Status == 202:
				return harness.Failed("the terminal result of an undisturbed checkout (case "+label(h, a.Invoke.Case)+")", statusText(a), a.witness())
			case class != harness.ClassSuccess && class != harness.ClassDeclined:
				return harness.Undecided("an undisturbed checkout was answered "+statusText(a), a.witness())
			}
			terminal++
		}
		if terminal < least {
			return harness.Undecided(fmt.Sprintf("%d undisturbed checkouts were answered, and %d are needed", terminal, least))
		}
		return harness.Passed(fmt.Sprintf("%d undisturbed checkouts, each answered with its result", terminal))
	}
}
