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
// were answered, also if it was undone: the customer saw it. Where no request had
// a success and one got no terminal answer nobody knows what to expect of the case,
// and only that counts.
func reconcile(h *History, totals map[string]EffectTotals) {
	for _, a := range accounts(h) {
		asks := a.asks(h.Header)
		if asks.vague {
			continue
		}
		unknown := a.successes() == 0 && a.open()
		for kind := range h.Header.PerSuccess {
			t := totals[kind]
			want, got, limit := asks.owed[kind], a.net(kind), asks.limit[kind]
			twice := max(len(a.entries[kind])-limit, 0)
			switch beyond := max(got-want, 0); {
			case unknown && twice == 0:
				continue
			case unknown:
				t.Observed += max(got-limit, 0)
				t.Duplicates += twice
			default:
				t.Expected += want
				t.Observed += got
				if want > 0 {
					twice = max(twice, beyond)
				}
				t.Duplicates += twice
				t.Orphans += max(beyond-twice, 0)
			}
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
