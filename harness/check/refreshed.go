package check

import "github.com/oncecheck/oncecheck/harness"

// WithRefreshed judges only where each case was repeated with other credentials of
// the same principal, and those were let in.
func WithRefreshed(pick Pick, judge func(*harness.History) harness.Verdict) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		refreshed, usual := map[string]bool{}, map[string]attempt{}
		for _, a := range keyed(attempts(h, pick)) {
			if a.request().Refreshed && a.answered() {
				if a.Done.Answer.Status == 401 {
					return harness.Undecided("the refreshed credentials of "+a.request().Principal+" are not let in (principals."+a.request().Principal+".refreshed)", a.witness())
				}
				refreshed[a.Invoke.Case] = true
			}
			usual[a.Invoke.Case] = a
		}
		for _, id := range sortedNames(usual) {
			if !refreshed[id] {
				return harness.Undecided("case "+label(h, id)+" was not repeated with refreshed credentials", usual[id].witness())
			}
		}
		v := judge(h)
		if v.Outcome == harness.Fail {
			v = harness.Failed(v.Expected+", with refreshed credentials too", v.Observed, v.Witness...)
		}
		return v
	}
}
