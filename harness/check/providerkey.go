package check

import (
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
)

// ProviderKeys judges the keys that the target gives its providers: present and
// equal over all attempts of one operation of one checkout, distinct between
// operations and between checkouts, and neither equal to nor containing the
// caller's key. Each case of the pick must hold one checkout.
func ProviderKeys(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		clientKeys := map[string]bool{}
		for _, a := range keyed(attempts(h, pick)) {
			for _, line := range a.request().Keys {
				clientKeys[line] = true
				if key, ok := h.Header.Dialect.KeyOf(line); ok {
					clientKeys[key] = true // a server may drop the quotes
				}
			}
		}
		derived := derivations(clientKeys)
		type use struct{ id, link, operation string }
		first := map[use]harness.Event{}
		owner := map[string]use{}
		repeated := 0
		checkouts := map[string]bool{}
		for _, c := range calls(h, pick) {
			if effectOf(h, c.Call.Link, c.Call.Operation) == "" {
				continue
			}
			u := use{c.Case, c.Call.Link, c.Call.Operation}
			what := u.link + "/" + u.operation
			key := c.Call.Key
			if key == "" {
				return harness.Failed("a provider key on every call of "+what, "none", c.Seq)
			}
			if how := derived.from(key); how != "" {
				return harness.Failed("a provider key that is not made from the caller's key", what+" was called with "+key+", "+how, c.Seq)
			}
			if f, ok := first[u]; ok {
				repeated++
				if f.Call.Key != key {
					return harness.Failed("one provider key over all attempts of "+what, "two", f.Seq, c.Seq)
				}
				continue
			}
			if o, ok := owner[key]; ok && o != u {
				return harness.Failed(fmt.Sprintf("distinct provider keys for %s of case %s and %s/%s of case %s", what, label(h, u.id), o.link, o.operation, label(h, o.id)), "the same", first[o].Seq, c.Seq)
			}
			first[u], owner[key] = c, u
			checkouts[c.Case] = true
		}
		switch {
		case len(checkouts) < 2:
			return harness.Undecided(fmt.Sprintf("%d checkouts called a provider, wanted at least 2 to compare", len(checkouts)))
		case repeated == 0:
			return harness.Undecided("no operation was attempted twice")
		}
		return harness.Passed(fmt.Sprintf("%d provider keys of %d checkouts: stable over %d repeats, distinct, none derived from the caller's key", len(owner), len(checkouts), repeated))
	}
}
