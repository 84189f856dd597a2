package check

import (
	"fmt"
	"slices"

	"github.com/oncecheck/oncecheck/harness"
)

// FirstAnswered judges only where the first request of every picked case was
// answered in one of these classes. It brings about the state that the scenario is
// about; where it ended otherwise nothing was shown of that state.
func FirstAnswered(pick Pick, judge func(*harness.History) harness.Verdict, classes ...harness.Class) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		firsts := firstByCase(h, pick)
		if len(firsts) == 0 {
			return harness.Undecided("no request was sent")
		}
		for _, id := range sortedNames(firsts) {
			first := firsts[id]
			switch {
			case !first.answered():
				return harness.Undecided("no answer to the first request of case "+label(h, id)+": "+first.Done.Error, first.witness())
			case !slices.Contains(classes, first.class(h)):
				return harness.Verdict{Outcome: harness.NotApplicable, Reason: fmt.Sprintf("the target does not bring case %s about: its first request was answered %s", label(h, id), statusText(first))}
			}
		}
		return judge(h)
	}
}
