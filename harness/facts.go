package harness

import (
	"maps"
	"slices"
)

// facts are what the positive control showed of the ledger beyond its counts.
// What held for two plain successes has to hold for every effect of the run.
type facts struct {
	amountKinds []string // kinds whose entries carry the amount of the request
	orderIDs    bool     // answers name orders by the ids that the ledger uses
	unusedLinks []string // declared dependencies that no plain checkout called
}

// learn reads them from the control's history, without assuming anything: a
// ledger that keeps neither amounts nor order ids is judged by counts.
func learn(h *History) facts {
	orders := map[string]string{}
	for e := range h.Events() {
		if e.Type == OK && e.Request != nil && e.Answer.OrderID != "" && !triedClaim(e.Case) {
			orders[e.Case] = e.Answer.OrderID
		}
	}
	f := facts{orderIDs: len(orders) >= 2, unusedLinks: unusedLinks(h)}
	carries := map[string]bool{}
	for id, a := range accounts(h) {
		if a.successes() == 0 || id == ControlID+"/"+controlAgain || triedClaim(id) {
			continue // what was bought again stands in the books of the first; what a claim leaves is no plain success
		}
		for kind, entries := range a.entries {
			if _, known := carries[kind]; !known {
				carries[kind] = true
			}
			for _, e := range entries {
				carries[kind] = carries[kind] && a.amounts[e.Effect.Amount]
			}
		}
		named := slices.ContainsFunc(a.entries["order"], func(e Event) bool { return e.Effect.ID == orders[id] })
		f.orderIDs = f.orderIDs && named
	}
	for _, kind := range slices.Sorted(maps.Keys(carries)) {
		if carries[kind] {
			f.amountKinds = append(f.amountKinds, kind)
		}
	}
	return f
}
