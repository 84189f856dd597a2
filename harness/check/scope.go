package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// ScopesIndependent judges invariant I5 on one key used by several customers:
// each scope got its own success, with a request and an order id that no other
// scope was shown. Customers whom the dialect puts into one scope may share an
// order; each of them still has to get one, and always the same. Wanted is the
// number of customers per case.
//
// Whoever was told to come back before anybody else had used the key, and then got
// a success, was kept waiting by nobody. So it may be told once more while nobody
// else is under way, but no other answer than that is forgiven. Of a service that was
// unavailable later it cannot be told for whom, so that leaves it open.
func ScopesIndependent(pick Pick, wanted int) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		customers, scopes := map[string]map[string]attempt{}, map[scope]bool{}
		owner := map[string]attempt{}
		all := groups(h, keyed(attempts(h, pick)))
		together, gap := map[string][][]attempt{}, harness.Verdict{}
		for _, group := range all {
			together[group[0].Invoke.Case] = append(together[group[0].Invoke.Case], group)
		}
		for _, group := range all {
			id := group[0].Invoke.Case
			if customers[id] == nil {
				customers[id] = map[string]attempt{}
			}
			scopes[group[0].scope(h)] = true
			for _, a := range group {
				if !a.answered() {
					return harness.Undecided("no answer in case "+label(h, id)+": "+a.Done.Error, a.witness())
				}
				if a.class(h) != harness.ClassSuccess {
					if ownWait(h, a, group, together[id]) {
						continue
					}
					if a.class(h) == harness.ClassUnavailable && succeedsAfter(h, a, group) {
						gap = earlier(gap, harness.Undecided(a.request().Principal+" was answered "+statusText(a)+" after somebody else had used the key, and got a success later (case "+label(h, id)+"): whether it was kept waiting by the other or by a service with too much to do cannot be told", a.witness()))
						continue
					}
					return harness.Failed("a success for "+a.request().Principal+", whoever else uses the key", statusText(a), a.witness())
				}
				if v, mixed := mixedUp(h, a, owner); mixed {
					return v
				}
				name := a.request().Tenant + "/" + a.request().Principal
				first, seen := customers[id][name]
				if !seen {
					first = a
					customers[id][name] = a
				}
				if want, got := first.Done.Answer.OrderID, a.Done.Answer.OrderID; want != got {
					return harness.Failed("order "+want+" again for "+a.request().Principal, "order "+got, first.witness(), a.witness())
				}
			}
		}
		for _, id := range slices.Sorted(maps.Keys(customers)) {
			if n := len(customers[id]); n != wanted {
				return harness.Undecided(fmt.Sprintf("%d customers used the key of case %s, wanted %d", n, label(h, id), wanted))
			}
		}
		switch {
		case gap.Reason != "":
			return gap
		case len(customers) == 0:
			return harness.Undecided("no keyed request was sent")
		case len(scopes) < wanted*len(customers):
			return harness.Passed(fmt.Sprintf("%d customers share %d scope(s) of dialect %s (scope: %v), and each got one order", wanted*len(customers), len(scopes), h.Header.Dialect.Name, h.Header.Dialect.Scope))
		}
		return harness.Passed(fmt.Sprintf("%d scopes, each with its own order", len(scopes)))
	}
}

// ownWait reports whether an attempt was told to come back while nobody else of its
// case was under way, and its scope had a success later. The first time that the
// scope was told so, nobody else may have used the key at all.
func ownWait(h *harness.History, a attempt, group []attempt, ofCase [][]attempt) bool {
	first := group[0]
	if !toldToWait(h, first) || !toldToWait(h, a) {
		return false
	}
	for _, other := range ofCase {
		if other[0].scope(h) != a.scope(h) && slices.ContainsFunc(other, func(o attempt) bool { return o.Invoke.Seq < first.Done.Seq || overlap(o, a) }) {
			return false
		}
	}
	return succeedsAfter(h, a, group)
}

// succeedsAfter reports whether a later attempt of the group succeeded.
func succeedsAfter(h *harness.History, a attempt, group []attempt) bool {
	return slices.ContainsFunc(group, func(later attempt) bool {
		return later.Done.Seq > a.Done.Seq && later.class(h) == harness.ClassSuccess
	})
}

// toldToWait reports whether an attempt was told to come back.
func toldToWait(h *harness.History, a attempt) bool {
	return slices.Contains([]harness.Class{harness.ClassUnavailable, harness.ClassInProgress, harness.ClassPending}, a.class(h))
}

// overlap reports whether both were under way at once. One without an answer may
// still be.
func overlap(a, b attempt) bool {
	return (!b.answered() || a.Invoke.Seq < b.Done.Seq) && (!a.answered() || b.Invoke.Seq < a.Done.Seq)
}

// mixedUp looks for an order or a request that two scopes were shown, and
// remembers what this attempt was shown.
func mixedUp(h *harness.History, a attempt, owner map[string]attempt) (harness.Verdict, bool) {
	if a.Done.Answer.OrderID+a.Done.Answer.RequestID == "" {
		return harness.Failed("a success that names its order or its request", "neither", a.witness()), true
	}
	for _, shown := range []string{"order " + a.Done.Answer.OrderID, "request " + a.Done.Answer.RequestID} {
		if strings.HasSuffix(shown, " ") {
			continue // not named in this answer
		}
		if o, ok := owner[shown]; ok && o.scope(h) != a.scope(h) {
			return harness.Failed("an order of its own for "+a.request().Principal, "the "+shown+" of "+o.request().Principal, o.witness(), a.witness()), true
		}
		owner[shown] = a
	}
	return harness.Verdict{}, false
}
