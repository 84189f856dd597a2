package check

import "github.com/oncecheck/oncecheck/harness"

// WhereResolved judges only a client that asks the resolver which it was told to
// ask: it came to the dependency whose name that one tells, and asked it for each
// name that is kept from it. A client that asks somebody else hears at once that
// there is no such name, which says nothing of how long it would have waited.
func WhereResolved(silent, told Pick, judge func(*harness.History) harness.Verdict) func(*harness.History) harness.Verdict {
	asks := Every(
		eachCase(told, func(_ *harness.History, c clientCase) harness.Verdict {
			if len(c.sent) == 0 {
				return c.undecided("no request at the dependency whose name is told, then " + outcomeOf(c))
			}
			return harness.Passed("the name that is told leads to the dependency", c.witnesses()...)
		}),
		eachCase(silent, func(h *harness.History, c clientCase) harness.Verdict {
			if knocked(h, c) == 0 {
				return c.undecided("no question for the name that is not told, then " + outcomeOf(c))
			}
			return harness.Passed("the name that is not told was asked for", c.witnesses()...)
		}))
	return func(h *harness.History) harness.Verdict {
		if v := asks(h); v.Outcome != harness.Pass {
			return harness.Undecided("the client was told which resolver to ask, and does not ask it: "+v.Reason, v.Witness...)
		}
		return judge(h)
	}
}
