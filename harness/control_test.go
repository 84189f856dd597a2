package harness

import "testing"

func TestJudgeControl(t *testing.T) {
	dialect := Dialect{Pending: Refusal{Statuses: []int{202}}}
	per := map[string]int{"order": 1}
	ok := func(id string, status int) Event {
		return Event{Type: OK, Request: &Request{Operation: OpCheckout}, Answer: &Answer{Status: status, JSON: true, RequestID: id}}
	}
	read := func(name string, n int64) Event {
		m := Mark{Name: name}
		if n > 0 {
			m.Count = map[string]int64{"order": n}
		}
		return Event{Type: MarkEvent, Mark: &m}
	}
	end := Event{Type: MarkEvent, Mark: &Mark{Name: MarkEnd}}
	for _, row := range []struct {
		name   string
		caps   []Capability
		events []Event
		want   Outcome
	}{
		{"0, 1, 2, 3", []Capability{CapEffects}, []Event{read(markControl0, 0), ok("a", 201), read(markControl1, 1), ok("b", 201), read(markControl2, 2), read(markControl3, 3), end}, Pass},
		{"one cart is not sold twice", []Capability{CapEffects}, []Event{read(markControl0, 0), ok("a", 201), read(markControl1, 1), ok("b", 201), read(markControl2, 2), read(markControlOnce, 0), end}, Pass},
		{"a probe that counts by cart", []Capability{CapEffects}, []Event{read(markControl0, 0), ok("a", 201), read(markControl1, 1), ok("b", 201), read(markControl2, 2), read(markControl3, 2), end}, Inconclusive},
		{"the third reading is missing", []Capability{CapEffects}, []Event{read(markControl0, 0), ok("a", 201), read(markControl1, 1), ok("b", 201), read(markControl2, 2), end}, Inconclusive},
		{"a probe that always shows one", []Capability{CapEffects}, []Event{read(markControl0, 1), ok("a", 201), read(markControl1, 1), ok("b", 201), read(markControl2, 1), end}, Inconclusive},
		{"a probe that never sees two", []Capability{CapEffects}, []Event{read(markControl0, 0), ok("a", 201), read(markControl1, 1), ok("b", 201), read(markControl2, 1), end}, Inconclusive},
		{"a probe that sees nothing", []Capability{CapEffects}, []Event{read(markControl0, 0), ok("a", 201), read(markControl1, 0), ok("b", 201), read(markControl2, 0), end}, Inconclusive},
		{"never read before", []Capability{CapEffects}, []Event{ok("a", 201), read(markControl1, 1), ok("b", 201), read(markControl2, 2), end}, Inconclusive},
		{"one id for two checkouts", nil, []Event{ok("a", 201), ok("a", 201), end}, Inconclusive},
		{"a refusal", nil, []Event{ok("a", 400), ok("b", 201), end}, Inconclusive},
		{"pending is no success", nil, []Event{ok("a", 202), ok("b", 201), end}, Inconclusive},
		{"one answer", nil, []Event{ok("a", 201), end}, Inconclusive},
		{"interrupted", nil, []Event{ok("a", 201), ok("b", 201)}, Inconclusive},
		{"without a probe", nil, []Event{ok("a", 201), ok("b", 201), end}, Pass},
		{"nothing", nil, nil, Inconclusive},
	} {
		h := NewHistory(Header{Dialect: dialect, PerSuccess: per, Capabilities: row.caps}, row.events...)
		if v := JudgeControl(h); v.Outcome != row.want || v.Reason == "" {
			t.Errorf("%s: %s %q, want %s", row.name, v.Outcome, v.Reason, row.want)
		}
	}
	empty := NewHistory(Header{Capabilities: []Capability{CapEffects}}, read(markControl0, 0), ok("a", 201), read(markControl1, 0), ok("b", 201), read(markControl2, 0), end)
	if v := JudgeControl(empty); v.Outcome != Inconclusive {
		t.Errorf("without declared effects nothing can be counted: %s", v.Outcome)
	}
}
