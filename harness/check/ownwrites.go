package check

import (
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
)

// OwnWritesRead judges that who was told of a request reads it at once, whichever
// instance is asked: each status read of the pick comes after an answer that named
// the request, of that class, and finds it. What was final in the answer is final
// in the status.
func OwnWritesRead(pick Pick, class harness.Class) func(*harness.History) harness.Verdict {
	return Unless(namesNo(class), func(h *harness.History) harness.Verdict {
		told := map[string]attempt{} // by case: the answer that names the request
		asked := map[string]map[int]bool{}
		reads := 0
		for _, a := range attempts(h, pick) {
			id := a.Invoke.Case
			if a.request().Operation != harness.OpStatus {
				if _, seen := told[id]; !seen && a.answered() && a.Done.Answer.RequestID != "" {
					told[id] = a
				}
				continue
			}
			first, known := told[id]
			switch {
			case !known:
				return harness.Undecided("a status was read in case "+label(h, id)+" before any answer named a request", a.witness())
			case first.class(h) != class:
				return harness.Undecided(fmt.Sprintf("the request of case %s was answered %s, which is not %s", label(h, id), statusText(first), class), first.witness())
			}
			if !a.answered() {
				return harness.Undecided("no answer to a status read: "+a.Done.Error, a.witness())
			}
			reads++
			if asked[id] == nil {
				asked[id] = map[int]bool{}
			}
			asked[id][a.request().Instance] = true
			where := fmt.Sprintf("at instance %d, of a request that had been answered %s at instance %d", a.request().Instance+1, statusText(first), first.request().Instance+1)
			got, want := a.Done.Answer, first.Done.Answer
			switch {
			case got.Status != 200 || got.RequestID != want.RequestID && got.RequestID != "":
				return harness.Failed("status 200 for request "+want.RequestID+" "+where, statusText(a)+", request "+inQuotes(got.RequestID), first.witness(), a.witness())
			case first.class(h).Terminal() && want.State != "" && got.State != "" && got.State != want.State:
				return harness.Failed("state "+want.State+" "+where, "state "+got.State, first.witness(), a.witness())
			}
		}
		for _, id := range sortedNames(told) {
			if len(asked[id]) < 2 {
				return harness.Undecided("the request of case " + label(h, id) + " was not read at two instances")
			}
		}
		if reads == 0 {
			return harness.Undecided("no status was read after an answer that named a request")
		}
		return harness.Passed(fmt.Sprintf("%s of %s found it at once, at every instance", several(reads, "read"), several(len(told), "request")))
	})
}
