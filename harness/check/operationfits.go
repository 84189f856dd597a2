package check

import (
	"slices"

	"github.com/oncecheck/oncecheck/harness"
)

// WithOperation judges only where some operation of the profile beside the checkout
// fits: what the others do is no matter of the check, which is then not applicable.
func WithOperation(fits func(harness.Header, harness.KeyedOperation) bool, what string, judge func(*harness.History) harness.Verdict) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		all := h.Header.Operations
		if len(all) > 0 && !slices.ContainsFunc(all, func(o harness.KeyedOperation) bool { return fits(h.Header, o) }) {
			return harness.Inapplicable("no operation of the profile beside the checkout " + what)
		}
		return judge(h)
	}
}

// WhereDeclared counts the effects of operations only where the profile says of each
// what a success leaves.
func WhereDeclared(judge func(*harness.History) harness.Verdict) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		for _, o := range h.Header.Operations {
			if o.Effects == nil {
				return harness.Inapplicable("the profile does not say what a success of " + o.Name + " leaves in the ledger (operations." + o.Name + ".effects)")
			}
		}
		return judge(h)
	}
}
