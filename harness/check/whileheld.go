package check

import "github.com/oncecheck/oncecheck/harness"

// WhileHeld judges only where in every case another body was sent while the first
// request was held.
func WhileHeld(pick Pick, judge func(*harness.History) harness.Verdict) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		held, met := holds(h), map[string]bool{}
		for _, group := range groups(h, keyed(attempts(h, pick))) {
			original := firstInvoked(group)
			id := original.Invoke.Case
			for _, a := range group {
				met[id] = met[id] || !sameBody(a, original) && held.contains(a)
			}
			if !met[id] {
				return harness.Undecided("no other body was sent while the first request of case "+label(h, id)+" was held", original.witness())
			}
		}
		if len(met) == 0 {
			return harness.Undecided("no keyed request was sent")
		}
		return judge(h)
	}
}
