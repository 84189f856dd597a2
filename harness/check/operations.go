package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// use is one use of a key: an operation under it.
type use struct{ tenant, principal, key, operation string }

// OperationsIndependent judges that one key under several operations, or several
// versions of one, is several requests: each operation was answered with a success
// of its own, and its repeats with that success again.
func OperationsIndependent(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		first, shown, under := map[use]attempt{}, map[string]attempt{}, map[use][]string{}
		repeats := 0
		for _, a := range keyed(attempts(h, pick)) {
			r := a.request()
			u := use{r.Tenant, r.Principal, strings.Join(r.Keys, "\n"), r.Operation}
			switch {
			case !a.answered():
				return harness.Undecided("no answer to "+r.Operation+" in case "+label(h, a.Invoke.Case)+": "+a.Done.Error, a.witness())
			case a.class(h) != harness.ClassSuccess:
				return harness.Failed("a success for "+r.Operation+", whatever else the key was used for", statusText(a), append(usesBefore(first, u), a.witness())...)
			}
			if original, again := first[u]; again {
				if expected, observed := differs(h.Header.Dialect, *original.Done.Answer, *a.Done.Answer); observed != "" {
					return harness.Failed(expected+" for "+r.Operation, observed, original.witness(), a.witness())
				}
				repeats++
				continue
			}
			first[u] = a
			for _, id := range namedIn(*a.Done.Answer) {
				if o, taken := shown[id]; taken {
					return harness.Failed("an answer of its own for "+r.Operation, "the "+id+" of "+o.request().Operation, o.witness(), a.witness())
				}
				shown[id] = a
			}
			all := use{u.tenant, u.principal, u.key, ""}
			under[all] = append(under[all], r.Operation)
		}
		if len(under) == 0 {
			return harness.Undecided("no keyed request was sent")
		}
		for _, operations := range under {
			if len(operations) < 2 {
				return harness.Undecided("a key was used for " + operations[0] + " only")
			}
		}
		if repeats < len(first) {
			return harness.Undecided(fmt.Sprintf("%d repeats of %d requests: not every operation was repeated", repeats, len(first)))
		}
		return harness.Passed(fmt.Sprintf("%d key(s) under %s, each operation with its own answer", len(under), strings.Join(operationsOf(first), ", ")))
	}
}

// usesBefore returns what shows the other uses of the key.
func usesBefore(first map[use]attempt, u use) []int64 {
	var seen []int64
	for other, a := range first {
		if other.tenant == u.tenant && other.principal == u.principal && other.key == u.key && other.operation != u.operation {
			seen = append(seen, a.witness())
		}
	}
	slices.Sort(seen)
	return seen
}

func operationsOf(first map[use]attempt) []string {
	var names []string
	for u := range first {
		names = append(names, u.operation)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// namedIn returns what an answer names: its request, and its order if it tells one.
func namedIn(a harness.Answer) []string {
	var named []string
	if a.RequestID != "" {
		named = append(named, "request "+a.RequestID)
	}
	if a.OrderID != "" {
		named = append(named, "order "+a.OrderID)
	}
	return named
}
