package check

import (
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
)

// UnknownOutcomeResolved judges that after an effect was committed and its
// answer lost, nothing charged again: every later call of the operation carries
// the provider key of the lost one, so that the provider can recognise it, and
// the ledger holds one effect.
func UnknownOutcomeResolved(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		lost := map[string]harness.Event{} // by case: the first committed call whose answer was lost
		repeats := 0
		for _, c := range calls(h, pick) {
			first, seen := lost[c.Case]
			if !seen {
				if c.Call.Fault != "" && c.Call.Upstream >= 200 && c.Call.Upstream < 300 && c.Call.Status == 0 {
					lost[c.Case] = c
				}
				continue
			}
			if c.Call.Link != first.Call.Link {
				continue
			}
			repeats++
			if c.Call.Operation == first.Call.Operation && c.Call.Key != first.Call.Key {
				return harness.Failed(fmt.Sprintf("the provider key of the unanswered %s/%s on every later call", first.Call.Link, first.Call.Operation),
					"another key: a new "+first.Call.Operation+" before the old one was resolved", first.Seq, c.Seq)
			}
			if c.Call.Operation == first.Call.Operation && c.Call.Key == "" {
				return harness.Failed("a provider key on a repeated "+first.Call.Operation, "none", first.Seq, c.Seq)
			}
		}
		by := tallies(h, pick)
		for _, id := range sortedCases(by) {
			t := by[id]
			first, ok := lost[id]
			if !ok {
				return harness.Undecided("no committed answer was lost in case " + label(h, id))
			}
			kind := effectOf(h, first.Call.Link, first.Call.Operation)
			if want := h.Header.PerSuccess[kind]; t.effects[kind] > want {
				return harness.Failed(fmt.Sprintf("%d %s for case %s", want, kind, label(h, id)), fmt.Sprintf("%d in the ledger", t.effects[kind]), append(t.entries[kind], first.Seq)...)
			}
		}
		if len(lost) == 0 {
			return harness.Undecided("no committed answer was lost")
		}
		if repeats == 0 {
			return harness.Undecided("the lost outcome was neither queried nor repeated")
		}
		return harness.Passed(fmt.Sprintf("%d lost answers resolved by query or under the same provider key, one effect each", len(lost)))
	}
}

// effectOf returns the kind of entry that a dependency operation leaves.
func effectOf(h *harness.History, link, operation string) string {
	return operationOf(h, link, operation).Effect
}

// operationOf returns what is declared of a dependency operation.
func operationOf(h *harness.History, link, operation string) harness.OperationInfo {
	for _, l := range h.Header.Links {
		for _, o := range l.Operations {
			if l.Name == link && o.Name == operation {
				return o
			}
		}
	}
	return harness.OperationInfo{}
}
