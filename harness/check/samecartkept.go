package check

import (
	"fmt"
	"maps"

	"github.com/oncecheck/oncecheck/harness"
)

// OrdersOfOneCart judges that what two keys of one cart were told is true: every
// order that they name is in the ledger, and the ledger holds exactly the effects
// of so many. A success that did nothing is as bad as an order that was paid twice.
func OrdersOfOneCart(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		if v := orderIDsInLedger(h, pick); v.Outcome == harness.Fail {
			return v
		}
		list, gap := rivalsOf(h, pick)
		orders := 0
		for _, c := range list {
			if c.open() {
				gap = earlier(gap, harness.Undecided("it stayed open what the keys of case "+c.label+" bring: "+c.outcome(), c.witnesses()...))
				continue
			}
			if got, want := c.effects(h); !maps.Equal(got, want) {
				return harness.Failed(fmt.Sprintf("%s for %s that two keys were told of (case %s)", describe(want), several(c.orders(), "order"), c.label),
					describe(got)+" in the ledger", append(c.witnesses(), c.books.odd(got, want)...)...)
			}
			if c.bought() == 0 {
				gap = earlier(gap, harness.Undecided("neither key of case "+c.label+" bought anything: "+c.outcome(), c.witnesses()...))
			}
			orders += c.orders()
		}
		if gap.Reason != "" {
			return gap
		}
		return harness.Passed(fmt.Sprintf("%s of %s, each with its own effects", several(orders, "order"), several(len(list), "cart")))
	}
}

// effects is what the ledger holds of a case, and what the orders that were named
// have to have left there.
func (c rivals) effects(h *harness.History) (got, want map[string]int) {
	owed := map[string]int{}
	for range c.orders() {
		each, _ := h.Header.EffectsOf(harness.OpCheckout)
		add(owed, each)
	}
	if c.books.accepted {
		return harness.Undone(c.books.effects), harness.Undone(owed)
	}
	return c.books.effects, owed
}

// RivalsBecomeTerminal judges that it does not stay open what becomes of either key
// of a cart.
func RivalsBecomeTerminal(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		if v := BecomesTerminal(pick)(h); v.Outcome == harness.Fail {
			return v
		}
		list, gap := rivalsOf(h, pick)
		for _, c := range list {
			if c.open() {
				gap = earlier(gap, harness.Undecided("it stayed open what the keys of case "+c.label+" bring: "+c.outcome(), c.witnesses()...))
			}
		}
		if gap.Reason != "" {
			return gap
		}
		return harness.Passed(several(2*len(list), "key") + " reached a terminal answer")
	}
}

// KeysKeepTheirAnswers judges that each of two keys for one cart goes on saying what
// it said: a success is replayed, and a key that was refused is given no order of
// its own later. Settled picks the cases of which the latter can be asked: where two
// keys raced, a refusal may have meant no more than that the other was at work.
func KeysKeepTheirAnswers(pick, settled Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		list, gap := rivalsOf(h, pick)
		repeats := 0
		for _, c := range list {
			for i, k := range c.keys {
				first := k.answers[max(k.won, 0)]
				if k.won > 0 && settled.accepts(h, first.Invoke.Case) && k.answers[0].class(h).Terminal() && k.order() != c.keys[1-i].order() {
					return harness.Failed("a key that was refused to stay so, or to name the order that the cart has (case "+c.label+")",
						k.outcome()+" after "+statusText(k.answers[0]), k.answers[0].witness(), first.witness())
				}
				again := k.answers[max(k.won, 0)+1:]
				if len(again) == 0 {
					gap = earlier(gap, harness.Undecided("a key of case "+c.label+" was not repeated: "+k.outcome(), first.witness()))
				}
				for _, later := range again {
					if expected, observed := differs(h.Header.Dialect, *first.Done.Answer, *later.Done.Answer); k.bought() && observed != "" {
						return harness.Failed(expected+" (case "+c.label+")", observed, first.witness(), later.witness())
					}
				}
				repeats += len(again)
			}
		}
		if gap.Reason != "" {
			return gap
		}
		return harness.Passed(fmt.Sprintf("%s of %s, each as before", several(repeats, "repeat"), several(2*len(list), "key")))
	}
}
