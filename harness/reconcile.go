package harness

// Reversed names, for each effect that undoes another, the kind it undoes.
func Reversed(kind string) string {
	switch kind {
	case "void", "refund":
		return "charge"
	case "release":
		return "reservation"
	}
	return ""
}

// reconcile adds the history's ledger to the totals. Expected are the declared
// effects of every distinct request that was answered with a success; what goes
// beyond is a duplicate if its case had a success, and an orphan if it had none.
// More than all requests of a case may leave together is a duplicate whatever they
// were answered, also if it was undone: the customer saw it. Where a request got no
// terminal answer nobody knows what to expect of it: what it may have left is not
// counted at all.
func reconcile(h *History, totals map[string]EffectTotals) {
	for _, a := range accounts(h) {
		asks := a.asks(h.Header)
		if asks.vague {
			continue
		}
		for kind := range h.Header.PerSuccess {
			t := totals[kind]
			want, got, limit := asks.owed[kind], a.net(kind), asks.limit[kind]
			twice, beyond, open := max(len(a.entries[kind])-limit, 0), max(got-want, 0), 0
			if a.open() {
				open = min(beyond, max(limit-want, 0))
			}
			t.Expected += want
			t.Observed += got - open
			beyond -= open
			if want > 0 {
				twice = max(twice, beyond)
			}
			t.Duplicates += twice
			t.Orphans += max(beyond-twice, 0)
			totals[kind] = t
		}
	}
}

// successID identifies what must have had its own effects: a key in its scope. A
// success without a key is its own.
func successID(d Dialect, e Event) Scope {
	id := d.ScopeOf(*e.Request)
	if d.Keyless(*e.Request) {
		id.Key = "keyless " + e.Op
	}
	return id
}
