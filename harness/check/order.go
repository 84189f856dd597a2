package check

import (
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
)

// SameOrderID judges that all success answers for a key name one order (I2).
func SameOrderID(pick Pick, repeats int) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		if !namesOrders(h, pick) {
			return harness.Verdict{Outcome: harness.NotVerified, Reason: "no answer names an order (response.orderId)"}
		}
		judged := 0
		list := groups(h, keyed(attempts(h, pick)))
		for _, group := range list {
			var first attempt
			later := 0
			for _, a := range group {
				if a.class(h) != harness.ClassSuccess {
					continue
				}
				if a.Done.Answer.OrderID == "" {
					return harness.Failed("an order id in every success answer", "none", a.witness())
				}
				if first.Done.Seq == 0 {
					first = a
					continue
				}
				later++
				if got, want := a.Done.Answer.OrderID, first.Done.Answer.OrderID; got != want {
					return harness.Failed("order "+want+" again", "order "+got, first.witness(), a.witness())
				}
			}
			if later < repeats {
				return harness.Undecided(fmt.Sprintf("%d repeated successes of case %s, wanted %d", later, label(h, group[0].Invoke.Case), repeats))
			}
			judged += later
		}
		if judged == 0 {
			return harness.Undecided("no success was repeated")
		}
		return harness.Passed(fmt.Sprintf("%d repeats name the order of the first answer", judged))
	}
}

// OnlyOrder judges that the order named in the answers is the only one the
// ledger knows for the case. A ledger without orders is judged by what it holds
// of a success.
func OnlyOrder(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		if h.Header.PerSuccess["order"] == 0 {
			return EffectsMatchSuccesses(pick)(h)
		}
		if v := orderIDsInLedger(h, pick); v.Outcome == harness.Fail {
			return v
		}
		cases := 0
		by := tallies(h, pick)
		for _, id := range sortedCases(by) {
			t := by[id]
			if len(t.succeeded) == 0 {
				return harness.Undecided("no success in case " + label(h, id))
			}
			cases++
			if got := t.effects["order"]; got != t.owed["order"] {
				return harness.Failed(fmt.Sprintf("%d order(s) in the ledger for case %s", t.owed["order"], label(h, id)), fmt.Sprint(got), append(t.entries["order"], t.asked...)...)
			}
		}
		if cases == 0 {
			return harness.Undecided("no keyed request was sent")
		}
		return harness.Passed(fmt.Sprintf("the only order of each of %d case(s)", cases))
	}
}

// orderIDsInLedger compares the order that an answer names with those that the
// ledger holds for its case, where the positive control has shown that both use
// the same ids.
func orderIDsInLedger(h *harness.History, pick Pick) harness.Verdict {
	if !h.Header.OrderIDs {
		return harness.Passed("the ledger names orders by ids of its own")
	}
	known := map[string]map[string]bool{}
	for e := range h.Events() {
		if e.Type == harness.EffectEvent && e.Effect.Kind == "order" {
			if known[e.Case] == nil {
				known[e.Case] = map[string]bool{}
			}
			known[e.Case][e.Effect.ID] = true
		}
	}
	for _, a := range keyed(attempts(h, pick)) {
		if a.class(h) == harness.ClassSuccess && !known[a.Invoke.Case][a.Done.Answer.OrderID] {
			return harness.Failed("an order that the ledger knows", "order "+a.Done.Answer.OrderID, a.witness())
		}
	}
	return harness.Passed("every order that was named is in the ledger")
}

// namesOrders reports whether some success names an order, or nothing succeeded.
// An API that never does cannot be compared by it; one that sometimes does is
// wrong.
func namesOrders(h *harness.History, pick Pick) bool {
	successes := 0
	for _, a := range keyed(attempts(h, pick)) {
		if a.class(h) != harness.ClassSuccess {
			continue
		}
		if a.Done.Answer.OrderID != "" {
			return true
		}
		successes++
	}
	return successes == 0
}
