package check

import (
	"fmt"
	"maps"
	"slices"

	"github.com/oncecheck/oncecheck/harness"
)

// effecting are the calls of one dependency operation that the dependency carried
// out, one for each provider key: it knows the second call under a key again.
type effecting struct {
	link, operation, kind string
	byKey                 map[string]int64
}

// carriedOut returns the calls of the picked cases that left an effect at a
// dependency, whatever the ledger shows of it: a ledger that the target keeps
// itself may show one order for two charges. Without a provider key nobody can
// tell a repetition from a second effect, and what undoes an effect is no second
// one.
func carriedOut(h *harness.History, pick Pick) map[string][]*effecting {
	by := map[string][]*effecting{}
	for _, c := range calls(h, pick) {
		o := operationOf(h, c.Call.Link, c.Call.Operation)
		if o.Effect == "" || o.Keyless || harness.Reversed(o.Effect) != "" || c.Call.Key == "" || c.Call.Upstream/100 != 2 {
			continue
		}
		i := slices.IndexFunc(by[c.Case], func(e *effecting) bool {
			return e.link == c.Call.Link && e.operation == c.Call.Operation
		})
		if i < 0 {
			i = len(by[c.Case])
			by[c.Case] = append(by[c.Case], &effecting{c.Call.Link, c.Call.Operation, o.Effect, map[string]int64{}})
		}
		if _, again := by[c.Case][i].byKey[c.Call.Key]; !again {
			by[c.Case][i].byKey[c.Call.Key] = c.Seq
		}
	}
	return by
}

// calledTwice looks for an operation of a dependency that was carried out more
// often than the requests of the case may have it. Where one was declined nothing
// is concluded: some providers answer a decline with a 2xx, and who may ask again
// does so under another key.
func (t *tally) calledTwice(h *harness.History, id string, made []*effecting) (harness.Verdict, bool) {
	for _, e := range made {
		limit := t.limit[e.kind]
		if h.Header.PerSuccess[e.kind] == 0 {
			limit = max(limit, len(t.scopes)) // nobody says how many, so one each
		}
		if t.declined || len(e.byKey) <= limit {
			continue
		}
		return harness.Failed(fmt.Sprintf("%s/%s carried out under at most %d provider key(s), as %d %s for %d keyed request(s) of case %s", e.link, e.operation, limit, limit, e.kind, len(t.scopes), label(h, id)),
			fmt.Sprintf("answered with a success under %d provider keys; the ledger shows %d %s", len(e.byKey), t.effects[e.kind], e.kind), slices.Sorted(maps.Values(e.byKey))...), true
	}
	return harness.Verdict{}, false
}
