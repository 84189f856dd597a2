package harness

import (
	"maps"
	"testing"
)

func TestEffectsOf(t *testing.T) {
	h := Header{PerSuccess: map[string]int{"charge": 1}, Operations: []KeyedOperation{{Name: "cancel", Effects: map[string]int{"refund": 1}}, {Name: "rate"}}}
	for operation, want := range map[string]struct {
		effects map[string]int
		known   bool
	}{OpCheckout: {h.PerSuccess, true}, "cancel": {map[string]int{"refund": 1}, true}, "rate": {nil, false}} {
		if got, known := h.EffectsOf(operation); !maps.Equal(got, want.effects) || known != want.known {
			t.Errorf("%s: %v, %v", operation, got, known)
		}
	}
}

// TestAuditOfReversals: what was asked to be undone is, once.
func TestAuditOfReversals(t *testing.T) {
	event := func(kind EventType, op, operation string, status int) Event {
		e := Event{Type: kind, Case: "x/y/c", Op: op, Request: &Request{Operation: operation, Keys: []string{"k"}, Amount: 7}}
		if kind == OK {
			e.Answer = &Answer{Status: status}
		}
		return e
	}
	entry := func(kind string) Event {
		return Event{Type: EffectEvent, Case: "x/y/c", Effect: &Effect{Kind: kind, Amount: 7}}
	}
	bought := []Event{event(Invoke, "op-1", OpCheckout, 0), event(OK, "op-1", OpCheckout, 201), entry("charge")}
	cancelled := []Event{event(Invoke, "op-2", "cancel", 0), event(OK, "op-2", "cancel", 201)}
	for name, row := range map[string]struct {
		effects   map[string]int
		events    []Event
		invariant string
	}{
		"refunded once":                    {map[string]int{"refund": 1}, []Event{entry("refund")}, ""},
		"refunded twice":                   {map[string]int{"refund": 1}, []Event{entry("refund"), entry("refund")}, "I1"},
		"the money was kept":               {map[string]int{"refund": 1}, nil, "I6"},
		"nobody says what a cancel leaves": {nil, []Event{entry("refund"), entry("refund")}, ""},
	} {
		h := bookkept(map[string]int{"charge": 1}, append(append(append([]Event{}, bought...), cancelled...), row.events...)...)
		h.Header.Dialect.Scope = []string{"operation"}
		h.Header.Operations = []KeyedOperation{{Name: "cancel", Effects: row.effects}}
		found := audit(Scenario{ID: "x/y"}, h)
		switch {
		case row.invariant == "" && len(found) > 0:
			t.Errorf("%s: found %+v", name, found)
		case row.invariant != "" && (len(found) != 1 || found[0].invariant != row.invariant):
			t.Errorf("%s: found %+v, want one of %s", name, found, row.invariant)
		}
		totals := map[string]EffectTotals{}
		reconcile(h, totals)
		if row.effects != nil && totals["charge"].Expected != 0 {
			t.Errorf("%s: totals %+v", name, totals)
		}
	}
}

// TestOneOrderForTwoKeys: where the dialect says that a second key for one cart is
// told of the first order, both successes together owe one, and a second is an
// orphan. Anywhere else each success owes its own.
func TestOneOrderForTwoKeys(t *testing.T) {
	event := func(kind EventType, op, key, order string) Event {
		e := Event{Type: kind, Case: "x/y/c", Op: op, Request: &Request{Operation: OpCheckout, Keys: []string{key}, Amount: 7}}
		if kind == OK {
			e.Answer = &Answer{Status: 201, OrderID: order}
		}
		return e
	}
	entry := Event{Type: EffectEvent, Case: "x/y/c", Effect: &Effect{Kind: "charge", Amount: 7}}
	for name, row := range map[string]struct {
		policy, second  string
		charges, expect int
		orphan          bool
	}{
		"one order, charged once":             {"same-order", "o1", 1, 1, false},
		"one order, charged twice":            {"same-order", "o1", 2, 1, true},
		"two orders":                          {"same-order", "o2", 2, 2, false},
		"answers that name no order":          {"same-order", "", 2, 2, false},
		"one order where nobody declared it":  {"", "o1", 2, 2, false},
		"one order where two were to be made": {"allow", "o1", 2, 2, false},
	} {
		first := "o1"
		if row.second == "" {
			first = ""
		}
		events := []Event{event(Invoke, "op-1", "k", ""), event(OK, "op-1", "k", first), event(Invoke, "op-2", "l", ""), event(OK, "op-2", "l", row.second)}
		for range row.charges {
			events = append(events, entry)
		}
		h := bookkept(map[string]int{"charge": 1}, events...)
		h.Header.Dialect.SameCart = row.policy
		found, totals := audit(Scenario{ID: "x/y"}, h), map[string]EffectTotals{}
		reconcile(h, totals)
		if orphan := len(found) == 1 && found[0].invariant == "I6"; orphan != row.orphan || totals["charge"].Expected != row.expect {
			t.Errorf("%s: found %+v, totals %+v", name, found, totals)
		}
	}
}
