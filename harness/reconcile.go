package harness

// reversed names, for each effect that undoes another, the kind it undoes.
func reversed(kind string) string {
	switch kind {
	case "void":
		return "charge"
	case "release":
		return "reservation"
	}
	return ""
}

// reconcile adds the history's ledger to the totals. Expected are the declared
// effects of every distinct request that was answered with a success; what goes
// beyond is a duplicate if its case had a success, and an orphan if it had none.
func reconcile(dir string, s Scenario, after aftermath, totals map[string]EffectTotals) error {
	h, err := openWithAftermath(dir, s, after)
	if err != nil {
		return err
	}
	successes := map[string]map[[3]string]bool{}
	observed := map[string]map[string]int{}
	for e := range h.Events() {
		switch {
		case e.Type == OK && e.Request != nil && e.Request.Operation != OpStatus && h.Header.Dialect.Classify(*e.Answer) == ClassSuccess:
			if successes[e.Case] == nil {
				successes[e.Case] = map[[3]string]bool{}
			}
			successes[e.Case][successID(e)] = true
		case e.Type == EffectEvent:
			if observed[e.Case] == nil {
				observed[e.Case] = map[string]int{}
			}
			observed[e.Case][e.Effect.Kind]++
		}
	}
	if h.Err() != nil {
		return h.Err()
	}
	for kind, each := range h.Header.PerSuccess {
		t := totals[kind]
		for id := range union(successes, observed) {
			want := each * len(successes[id])
			got := observed[id][kind]
			for undo, n := range observed[id] {
				if reversed(undo) == kind {
					got -= n
				}
			}
			t.Expected += want
			t.Observed += got
			switch {
			case got > want && want > 0:
				t.Duplicates += got - want
			case got > want:
				t.Orphans += got - want
			}
		}
		totals[kind] = t
	}
	return nil
}

// successID identifies what must have had its own effects: a principal, an
// operation and a key. A success without a key is its own.
func successID(e Event) [3]string {
	if len(e.Request.Keys) == 0 {
		return [3]string{e.Request.Principal, e.Request.Operation, "keyless " + e.Op}
	}
	return [3]string{e.Request.Principal, e.Request.Operation, e.Request.Keys[0]}
}

func union(a map[string]map[[3]string]bool, b map[string]map[string]int) map[string]bool {
	all := map[string]bool{}
	for id := range a {
		all[id] = true
	}
	for id := range b {
		all[id] = true
	}
	return all
}
