package harness

import "testing"

// bookkept is a history of one case with everything proven.
func bookkept(per map[string]int, events ...Event) *History {
	end := []Event{{Type: MarkEvent, Mark: &Mark{Name: MarkSettled}}, {Type: MarkEvent, Mark: &Mark{Name: MarkEnd}}}
	return NewHistory(Header{Scenario: "x/y", PerSuccess: per, Capabilities: []Capability{CapEffects}, Control: Verdict{Outcome: Pass}, AmountKinds: []string{"charge"},
		Links: []LinkInfo{{Name: "payment", Operations: []OperationInfo{{Name: "charge", Effect: "charge"}}}}}, append(events, end...)...)
}

func TestAudit(t *testing.T) {
	request := &Request{Operation: OpCheckout, Keys: []string{"k"}, Amount: 7}
	sent := Event{Type: Invoke, Case: "x/y/c", Op: "op-1", Request: request}
	answered := func(status int) Event {
		return Event{Type: OK, Case: "x/y/c", Op: "op-1", Request: request, Answer: &Answer{Status: status}}
	}
	charge := func(amount int64) Event {
		return Event{Type: EffectEvent, Case: "x/y/c", Effect: &Effect{Kind: "charge", Amount: amount}}
	}
	void := Event{Type: EffectEvent, Case: "x/y/c", Effect: &Effect{Kind: "void", Amount: 7}}
	accepted := func(key string) Event {
		return Event{Type: CallEvent, Case: "x/y/c", Call: &Call{Link: "payment", Operation: "charge", Upstream: 201, Key: key}}
	}
	status := Event{Type: Invoke, Case: "x/y/c", Op: "op-2", Request: &Request{Operation: OpStatus}}
	lost := Event{Type: Info, Case: "x/y/c", Op: "op-1", Request: request, Error: "reset"}
	for name, row := range map[string]struct {
		events    []Event
		invariant string // of the one finding, empty for none
		want      Outcome
	}{
		"books that balance":                      {[]Event{sent, answered(201), charge(7)}, "", 0},
		"nothing happened":                        {nil, "", 0},
		"a duplicate":                             {[]Event{sent, answered(201), charge(7), charge(7)}, "I1", Fail},
		"a duplicate that was undone":             {[]Event{sent, answered(201), charge(7), charge(7), void}, "I1", Fail},
		"a status read that charges":              {[]Event{sent, answered(201), charge(7), status, charge(7)}, "I1", Fail},
		"a refused request that charged":          {[]Event{sent, answered(400), charge(7)}, "I6", Fail},
		"a refused request that took it back":     {[]Event{sent, answered(400), charge(7), void}, "", 0},
		"an unknown outcome has its effects":      {[]Event{sent, lost, charge(7)}, "", 0},
		"twice the amount":                        {[]Event{sent, answered(201), charge(14)}, "I1", Fail},
		"a probe that shows less than was made":   {[]Event{sent, answered(201), charge(7), accepted("p"), accepted("q")}, "I1", Inconclusive},
		"one call repeated under its key is one":  {[]Event{sent, answered(201), charge(7), accepted("p"), accepted("p")}, "", 0},
		"calls without keys are one each":         {[]Event{sent, answered(201), charge(7), accepted(""), accepted("")}, "I1", Inconclusive},
		"an interrupted experiment has no books":  {[]Event{sent, answered(201), charge(7), charge(7), {Type: MarkEvent, Mark: &Mark{Name: MarkInterrupted}}}, "", 0},
		"effects of no case are somebody else's":  {[]Event{sent, answered(201), charge(7), {Type: EffectEvent, Effect: &Effect{Kind: "charge"}}}, "", 0},
		"a kind that a success does not have any": {[]Event{sent, answered(201), charge(7), {Type: EffectEvent, Case: "x/y/c", Effect: &Effect{Kind: "hold"}}}, "", 0},
		"a success that was undone":               {[]Event{sent, answered(201), charge(7), void}, "I6", Fail},
	} {
		found := audit(Scenario{ID: "x/y"}, bookkept(map[string]int{"charge": 1}, row.events...))
		switch {
		case row.invariant == "" && len(found) > 0:
			t.Errorf("%s: found %+v", name, found)
		case row.invariant != "" && (len(found) != 1 || found[0].invariant != row.invariant || found[0].result.Verdict != row.want):
			t.Errorf("%s: found %+v, want one of %s", name, found, row.invariant)
		}
	}
}

func TestLearn(t *testing.T) {
	control := func(orderID string, amount int64) []Event {
		var events []Event
		for _, id := range []string{"1", "2"} {
			c := "control/" + id
			r := &Request{Operation: OpCheckout, Keys: []string{id}, Amount: 7}
			events = append(events, Event{Type: Invoke, Case: c, Op: id, Request: r}, Event{Type: OK, Case: c, Op: id, Request: r, Answer: &Answer{Status: 201, OrderID: "o" + id}},
				Event{Type: EffectEvent, Case: c, Effect: &Effect{Kind: "order", ID: orderID + id, Amount: amount}}, Event{Type: EffectEvent, Case: c, Effect: &Effect{Kind: "charge", Amount: 7}})
		}
		return events
	}
	if f := learn(NewHistory(Header{}, control("o", 7)...)); !f.orderIDs || len(f.amountKinds) != 2 {
		t.Errorf("a ledger that keeps both: %+v", f)
	}
	if f := learn(NewHistory(Header{}, control("row-", 0)...)); f.orderIDs || len(f.amountKinds) != 1 || f.amountKinds[0] != "charge" {
		t.Errorf("a ledger with ids of its own and orders without amounts: %+v", f)
	}
	if f := learn(NewHistory(Header{})); f.orderIDs || f.amountKinds != nil {
		t.Errorf("nothing was seen: %+v", f)
	}
}
