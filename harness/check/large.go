package check

import (
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
)

// LargeAnswer is the size from which an answer counts as a large one.
const LargeAnswer = 5 << 20

// LargeReplayed judges that an answer of 5 MiB and more is kept like any other, or
// that its key is at least: a repeat brings the same bytes, or a refusal that
// remembers, or names the same order. It never makes a second one.
func LargeReplayed(pick Pick, repeats int) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		judged := 0
		for _, group := range groups(h, keyed(attempts(h, pick))) {
			first, id := firstInvoked(group), label(h, group[0].Invoke.Case)
			switch {
			case first.class(h) != harness.ClassSuccess:
				return harness.Undecided("the first request of case "+id+" did not succeed: "+statusText(first), first.witness())
			case first.Done.Answer.BodyBytes < LargeAnswer:
				return harness.Undecided(fmt.Sprintf("the answer of case %s has %d bytes, wanted %d or more (checkout.variants.large)", id, first.Done.Answer.BodyBytes, LargeAnswer), first.witness())
			}
			again := 0
			for _, a := range group {
				if a.Invoke.Seq <= first.Done.Seq || !a.answered() {
					continue
				}
				again++
				was, is := first.Done.Answer, a.Done.Answer
				_, observed := differs(h.Header.Dialect, *was, *is)
				names := a.class(h) == harness.ClassSuccess && is.OrderID != "" && is.OrderID == was.OrderID
				if observed != "" && !names && a.class(h) != harness.ClassRefused {
					return harness.Failed(fmt.Sprintf("the %d bytes of the first answer again, or a refusal that remembers", was.BodyBytes), fmt.Sprintf("%s, %d bytes", inShort(*is), is.BodyBytes), first.witness(), a.witness())
				}
			}
			if again < repeats {
				return harness.Undecided(fmt.Sprintf("%d repeats of case %s, wanted %d", again, id, repeats))
			}
			judged += again
		}
		if judged == 0 {
			return harness.Undecided("no keyed request was sent")
		}
		return harness.Passed(fmt.Sprintf("%d repeats of a large answer", judged))
	}
}
