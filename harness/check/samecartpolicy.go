package check

import "github.com/oncecheck/oncecheck/harness"

// SameCartUnsaid excludes what is said of two keys for one cart where the dialect
// states no policy for them.
func SameCartUnsaid(d harness.Dialect) string {
	if d.SameCart == "" {
		return "does not say what a second key for one cart version brings (sameCart)"
	}
	return ""
}

// SameCartAsDeclared judges that two keys for one version of a cart bring what the
// dialect says, one after the other and at once. What "one checkout" is the policy
// decides: the key, and then there are two; or the cart, and then two keys must not
// buy it twice, least of all when they race.
func SameCartAsDeclared(pick Pick) func(*harness.History) harness.Verdict {
	return Unless(SameCartUnsaid, func(h *harness.History) harness.Verdict {
		list, gap := rivalsOf(h, pick)
		policy := h.Header.Dialect.SameCart
		bought, orders, wanted := 2, 2, "an order for each of two keys of one cart version"
		switch policy {
		case "refuse":
			bought, orders, wanted = 1, 1, "one of two keys of one cart version to be refused"
		case "same-order":
			orders, wanted = 1, "two keys of one cart version to be told of one order"
		}
		wanted += " (sameCart: " + policy + ")"
		for _, c := range list {
			if c.open() {
				gap = earlier(gap, harness.Undecided("it stayed open what the keys of case "+c.label+" bring: "+c.outcome(), c.witnesses()...))
			} else if c.bought() != bought || c.orders() != orders {
				return harness.Failed(wanted, c.keys[0].outcome()+" and "+c.keys[1].outcome()+" (case "+c.label+")", c.witnesses()...)
			}
		}
		if gap.Reason != "" {
			return gap
		}
		return harness.Passed(several(len(list), "cart") + ", " + wanted)
	})
}
