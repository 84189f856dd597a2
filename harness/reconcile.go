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
// Where a request got no terminal answer nobody knows what to expect of its case.
func reconcile(h *History, totals map[string]EffectTotals) {
	for _, a := range accounts(h) {
		asks := a.asks(h.Header)
		if asks.vague || a.successes() == 0 && a.open() {
			continue
		}
		for kind := range h.Header.PerSuccess {
			t := totals[kind]
			want, got := asks.owed[kind], a.net(kind)
			t.Expected += want
			t.Observed += got
			switch {
			case got > want && want > 0:
				t.Duplicates += got - want
			case got > want:
				t.Orphans += got - want
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
