package check

import (
	"fmt"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// EachKeyItsOwn judges keys that differ in little, one a case: each is taken,
// executed and replayed, and no two of them name one order or one request. The
// keys are new, so that another key's conflict is as wrong as its answer.
func EachKeyItsOwn(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		shown, keys := map[string]attempt{}, map[string]attempt{}
		list := groups(h, keyed(attempts(h, pick)))
		for _, group := range list {
			first := firstInvoked(group)
			key := strings.Join(first.request().Keys, ", ")
			switch other, again := keys[key]; {
			case again && other.Invoke.Case != first.Invoke.Case:
				return harness.Undecided("two cases share the key "+inQuotes(key), other.witness(), first.witness())
			case !first.answered():
				return harness.Undecided("no answer to the first request with the key "+inQuotes(key)+": "+first.Done.Error, first.witness())
			case first.class(h) != harness.ClassSuccess:
				return harness.Failed("a success under the key "+inQuotes(key)+", which nobody used", statusText(first), first.witness())
			}
			keys[key] = first
			if v := mineAlone(first, shown); v.Outcome == harness.Fail {
				return v
			}
		}
		if len(list) < 2 {
			return harness.Undecided(fmt.Sprintf("%s used, and two are needed to compare", several(len(list), "key")))
		}
		return replayed(h, pick, 1, "each key brings its own answer again", func(first, later harness.Answer) (string, string) {
			return differs(h.Header.Dialect, first, later)
		})
	}
}

// mineAlone fails if the answer names what the answer under another key named.
func mineAlone(a attempt, shown map[string]attempt) harness.Verdict {
	for _, named := range [][2]string{{"order", a.Done.Answer.OrderID}, {"request", a.Done.Answer.RequestID}} {
		if named[1] == "" {
			continue
		}
		id := named[0] + " " + named[1]
		if other, taken := shown[id]; taken && other.Invoke.Case != a.Invoke.Case {
			return harness.Failed("its own "+named[0]+" under the key "+inQuotes(strings.Join(a.request().Keys, ", ")),
				"the "+id+" of the key "+inQuotes(strings.Join(other.request().Keys, ", ")), other.witness(), a.witness())
		}
		shown[id] = a
	}
	return harness.Verdict{}
}
