package harness

import "testing"

// TestReconcile: the totals say no less of duplicates than the invariants do, and
// call nothing an orphan that an outcome nobody knows may explain.
func TestReconcile(t *testing.T) {
	event := func(kind EventType, status int) Event {
		e := Event{Type: kind, Case: "x/y/c", Op: "op-1", Request: &Request{Operation: OpCheckout, Keys: []string{"k"}, Amount: 7}}
		if kind == OK {
			e.Answer = &Answer{Status: status}
		}
		return e
	}
	entry := func(kind string) Event {
		return Event{Type: EffectEvent, Case: "x/y/c", Effect: &Effect{Kind: kind, Amount: 7}}
	}
	other := func(e Event) Event {
		e.Op, e.Request = "op-2", &Request{Operation: OpCheckout, Keys: []string{"other"}, Amount: 7}
		return e
	}
	sent, bought, refused, lost := event(Invoke, 0), event(OK, 201), event(OK, 400), event(Info, 0)
	charge, void := entry("charge"), entry("void")
	for name, row := range map[string]struct {
		events []Event
		want   EffectTotals
	}{
		"nothing":                     {nil, EffectTotals{}},
		"once":                        {[]Event{sent, bought, charge}, EffectTotals{Expected: 1, Observed: 1}},
		"missing":                     {[]Event{sent, bought}, EffectTotals{Expected: 1}},
		"twice":                       {[]Event{sent, bought, charge, charge}, EffectTotals{Expected: 1, Observed: 2, Duplicates: 1}},
		"twice and one undone":        {[]Event{sent, bought, charge, charge, void}, EffectTotals{Expected: 1, Observed: 1, Duplicates: 1}},
		"once, and one lost":          {[]Event{sent, bought, other(sent), other(lost), charge, charge}, EffectTotals{Expected: 1, Observed: 1}},
		"once, one lost, thrice":      {[]Event{sent, bought, other(sent), other(lost), charge, charge, charge}, EffectTotals{Expected: 1, Observed: 2, Duplicates: 1}},
		"once, and a lost repeat":     {[]Event{sent, bought, sent, lost, charge, charge}, EffectTotals{Expected: 1, Observed: 2, Duplicates: 1}},
		"refused":                     {[]Event{sent, refused}, EffectTotals{}},
		"refused and compensated":     {[]Event{sent, refused, charge, void}, EffectTotals{}},
		"refused and kept":            {[]Event{sent, refused, charge}, EffectTotals{Observed: 1, Orphans: 1}},
		"refused and kept twice":      {[]Event{sent, refused, charge, charge}, EffectTotals{Observed: 2, Duplicates: 1, Orphans: 1}},
		"a lost outcome":              {[]Event{sent, lost}, EffectTotals{}},
		"a lost outcome, charged":     {[]Event{sent, lost, charge}, EffectTotals{}},
		"a lost outcome, twice":       {[]Event{sent, lost, charge, charge}, EffectTotals{Observed: 1, Duplicates: 1}},
		"a lost outcome, twice, void": {[]Event{sent, lost, charge, charge, void}, EffectTotals{Duplicates: 1}},
	} {
		totals := map[string]EffectTotals{}
		reconcile(bookkept(map[string]int{"charge": 1}, row.events...), totals)
		if got := totals["charge"]; got != row.want {
			t.Errorf("%s: %+v, want %+v", name, got, row.want)
		}
	}
}
