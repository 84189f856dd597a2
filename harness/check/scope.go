package check

import (
	"fmt"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// ScopesIndependent judges invariant I5 on one key used in several scopes: each
// scope got its own success, with a request and an order id that no other scope
// was shown. Wanted is the number of scopes per case.
func ScopesIndependent(pick Pick, wanted int) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		scopes := map[string]int{}
		owner := map[string]attempt{}
		for _, group := range groups(keyed(attempts(h, pick))) {
			id := group[0].Invoke.Case
			scopes[id]++
			for _, a := range group {
				if !a.answered() {
					return harness.Undecided("no answer in case "+label(h, id)+": "+a.Done.Error, a.witness())
				}
				if a.class(h) != harness.ClassSuccess {
					return harness.Failed("a success for "+a.request().Principal+", whoever else uses the key", statusText(a), a.witness())
				}
				if a.Done.Answer.OrderID+a.Done.Answer.RequestID == "" {
					return harness.Failed("a success that names its order or its request", "neither", a.witness())
				}
				for _, shown := range []string{"order " + a.Done.Answer.OrderID, "request " + a.Done.Answer.RequestID} {
					if strings.HasSuffix(shown, " ") {
						continue // not named in this answer
					}
					if o, ok := owner[shown]; ok && o.scope() != a.scope() {
						return harness.Failed("an order of its own for "+a.request().Principal, "the "+shown+" of "+o.request().Principal, o.witness(), a.witness())
					}
					owner[shown] = a
				}
			}
		}
		for id, n := range scopes {
			if n != wanted {
				return harness.Undecided(fmt.Sprintf("%d scopes used the key of case %s, wanted %d", n, label(h, id), wanted))
			}
		}
		if len(scopes) == 0 {
			return harness.Undecided("no keyed request was sent")
		}
		return harness.Passed(fmt.Sprintf("%d scopes, each with its own order", wanted*len(scopes)))
	}
}
