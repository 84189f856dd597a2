package check

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// seriesHeader is of a series of n with that threshold.
func seriesHeader(n int, threshold float64, unit string, mix ...string) harness.Header {
	return harness.Header{
		Scenario: "NFR", Policy: harness.RequiredPolicy(), Dialect: newStory().header.Dialect, PerSuccess: map[string]int{"charge": 1, "order": 1},
		NFR: &harness.Preregistered{N: n, Threshold: threshold, Unit: unit, Confidence: 0.95, Mix: mix},
	}
}

func experimentOf(label string, change func([]harness.Event) []harness.Event) []harness.Event {
	id := "NFR/" + label
	request := func() *harness.Request {
		return &harness.Request{Operation: harness.OpCheckout, Principal: "alice", Keys: []string{label}}
	}
	answer := func(typ harness.EventType, op, order string) harness.Event {
		return harness.Event{Type: typ, Case: id, Op: op, Request: request(), Answer: &harness.Answer{Status: 201, OrderID: order, State: "SUCCEEDED"}}
	}
	atTarget := func(from, to time.Duration) harness.Event {
		return harness.Event{Type: harness.CallEvent, Case: id, Call: &harness.Call{Link: harness.LinkClient, Forwarded: from, Answered: to}}
	}
	effect := func(kind string) harness.Event {
		return harness.Event{Type: harness.EffectEvent, Case: id, Effect: &harness.Effect{Kind: kind, ID: kind + label}}
	}
	events := []harness.Event{
		{Type: harness.Invoke, Case: id, Op: "a" + label, Request: request()}, {Type: harness.Invoke, Case: id, Op: "b" + label, Request: request()},
		atTarget(1, 5), atTarget(2, 6), answer(harness.OK, "a"+label, "o1"), answer(harness.OK, "b"+label, "o1"), effect("charge"), effect("order"),
	}
	if change != nil {
		events = change(events)
	}
	return events
}

func TestNothingDuplicated(t *testing.T) {
	const n = 20
	whole := func(odd func([]harness.Event) []harness.Event) *harness.History {
		var events []harness.Event
		for i := range n {
			var change func([]harness.Event) []harness.Event
			if i == 7 {
				change = odd
			}
			events = append(events, experimentOf(fmt.Sprintf("none-%05d", i+1), change)...)
		}
		return harness.NewHistory(seriesHeader(n, 0.15, "", "none: 100 %"), events...)
	}
	planned := harness.Event{Type: harness.FaultEvent, Case: "NFR/none-00008", Fault: &harness.FaultRecord{Fault: "f", Stage: harness.FaultPlanned}}
	void := harness.Event{Type: harness.EffectEvent, Case: "NFR/none-00008", Effect: &harness.Effect{Kind: "void", ID: "v"}}
	refused := func(e []harness.Event) []harness.Event {
		for i := range e {
			if e[i].Type == harness.OK {
				e[i].Answer = &harness.Answer{Status: 402, Code: "PAYMENT_DECLINED"}
			}
		}
		return e
	}
	for name, test := range map[string]struct {
		odd  func([]harness.Event) []harness.Event
		want harness.Outcome
		says string
	}{
		"once each":                 {nil, harness.Pass, "0 of 20"},
		"charged twice":             {func(e []harness.Event) []harness.Event { return append(e, e[6]) }, harness.Fail, "left 2 charge"},
		"and given back":            {func(e []harness.Event) []harness.Event { return append(e, e[6], void) }, harness.Fail, "left 2 charge and took back 1"},
		"charged twice, no order":   {func(e []harness.Event) []harness.Event { return append(e[:7], e[6]) }, harness.Fail, "left 2 charge"},
		"given back twice":          {func(e []harness.Event) []harness.Event { return append(e, void, void) }, harness.Fail, "left 1 charge and took back 2"},
		"a success given back":      {func(e []harness.Event) []harness.Event { return append(e, void) }, harness.Inconclusive, "left no effect"},
		"declined":                  {func(e []harness.Event) []harness.Event { return refused(e)[:6] }, harness.Pass, "0 of 20"},
		"declined and compensated":  {func(e []harness.Event) []harness.Event { return append(refused(e)[:7], void) }, harness.Pass, "0 of 20"},
		"declined and kept":         {func(e []harness.Event) []harness.Event { return refused(e)[:7] }, harness.Fail, "left 1 charge without a success"},
		"declined, tried twice":     {func(e []harness.Event) []harness.Event { return append(refused(e)[:7], void, e[6], void) }, harness.Fail, "left 2 charge and took back 2"},
		"an answer names no order":  {func(e []harness.Event) []harness.Event { e[5].Answer.OrderID = ""; return e }, harness.Pass, "0 of 20"},
		"other orders and no order": {func(e []harness.Event) []harness.Event { e[5].Answer.OrderID = "o2"; return e[:7] }, harness.Fail, "2 different orders"},
		"another order":             {func(e []harness.Event) []harness.Event { e[5].Answer.OrderID = "o2"; return e }, harness.Fail, "2 different orders"},
		"no effect":                 {func(e []harness.Event) []harness.Event { return e[:7] }, harness.Inconclusive, "left no effect"},
		"one after another":         {func(e []harness.Event) []harness.Event { e[3].Call.Forwarded = 5; return e }, harness.Inconclusive, "same time"},
		"fault not met":             {func(e []harness.Event) []harness.Event { return append(e, planned) }, harness.Inconclusive, "did not meet"},
		"never answered": {func(e []harness.Event) []harness.Event {
			for i := range e {
				if e[i].Type == harness.OK {
					e[i].Type, e[i].Answer, e[i].Error = harness.Info, nil, "reset"
				}
			}
			return e[:6]
		}, harness.Inconclusive, "no final answer"},
	} {
		m := NothingDuplicated(whole(test.odd))
		if m.Outcome != test.want || !strings.Contains(m.Reason+m.Observed, test.says) {
			t.Errorf("%s: %s %s %s", name, m.Outcome, m.Reason, m.Observed)
		}
	}
	for range 100 { // the kinds stand in no order of their own
		if m := NothingDuplicated(whole(func(e []harness.Event) []harness.Event { return append(e[:7], e[6]) })); m.Outcome != harness.Fail || m.Gross != 1 {
			t.Fatalf("a duplicate beside something missing: %s, %d beyond all lag", m.Outcome, m.Gross)
		}
	}
	short := harness.NewHistory(seriesHeader(n, 0.15, "", "none: 50 %", "restart: 50 %"), experimentOf("none-00001", nil)...)
	if m := NothingDuplicated(short); m.Outcome != harness.Inconclusive || !strings.Contains(m.Reason, `"restart"`) {
		t.Errorf("a hardship that nothing met: %s %s", m.Outcome, m.Reason)
	}
	if m := NothingDuplicated(harness.NewHistory(seriesHeader(n, 0.15, "", "none: 100 %"))); m.Outcome != harness.Inconclusive {
		t.Errorf("nothing: %s", m.Outcome)
	}
}

// timed are n pairs of a replay and a request beside it that take so long.
func timed(n int, replay, beside time.Duration) []harness.Event {
	original := &harness.Answer{Status: 201, OrderID: "o", State: "SUCCEEDED", BodySHA256: "x"}
	request := func(due time.Duration) *harness.Request {
		return &harness.Request{Operation: harness.OpCheckout, Principal: "alice", Keys: []string{"k"}, Due: due}
	}
	events := []harness.Event{{Type: harness.OK, Case: "NFR/c", Op: OpFirst + "-c", Request: request(0), Answer: original}}
	for i := range n {
		due := time.Duration(i+1) * time.Second
		events = append(events,
			harness.Event{At: due + replay, Type: harness.OK, Case: "NFR/c", Op: fmt.Sprintf("%s-%d", OpReplay, i+1), Request: request(due), Answer: original},
			harness.Event{At: due + beside, Type: harness.OK, Case: "NFR/b", Op: fmt.Sprintf("%s-%d", OpBaseline, i+1), Request: request(due), Answer: &harness.Answer{Status: 401}})
	}
	return events
}

func TestReplaysInTime(t *testing.T) {
	const n = 100
	for name, test := range map[string]struct {
		events []harness.Event
		change func([]harness.Event)
		want   harness.Outcome
		bound  float64
	}{
		"fast":                 {timed(n, 5*time.Millisecond, time.Millisecond), nil, harness.Pass, 5},
		"slow with all of it":  {timed(n, 150*time.Millisecond, 120*time.Millisecond), nil, harness.Pass, 30},
		"slow":                 {timed(n, 150*time.Millisecond, time.Millisecond), nil, harness.Fail, 149},
		"too few":              {timed(n-1, 5*time.Millisecond, time.Millisecond), nil, harness.Inconclusive, math.MaxFloat64},
		"not the same answer":  {timed(n, 5*time.Millisecond, time.Millisecond), func(e []harness.Event) { e[1].Answer = &harness.Answer{Status: 409} }, harness.Inconclusive, math.MaxFloat64},
		"no answer":            {timed(n, 5*time.Millisecond, time.Millisecond), func(e []harness.Event) { e[1].Type, e[1].Answer, e[1].Error = harness.Info, nil, "reset" }, harness.Inconclusive, math.MaxFloat64},
		"nothing":              {nil, nil, harness.Inconclusive, math.MaxFloat64},
		"slow, nothing beside": {timed(n, 150*time.Millisecond, time.Millisecond), func(e []harness.Event) { e[2].Op = "other-1" }, harness.Inconclusive, 150},
	} {
		if test.change != nil {
			test.change(test.events)
		}
		m := ReplaysInTime(harness.NewHistory(seriesHeader(n, 100, "ms"), test.events...))
		if m.Outcome != test.want || m.UpperBound != test.bound {
			t.Errorf("%s: %s, at most %g ms: %s %s", name, m.Outcome, m.UpperBound, m.Reason, m.Observed)
		}
	}
}

func TestAvailable(t *testing.T) {
	const n = 20
	probes := func(odd func(*harness.Event)) []harness.Event {
		var events []harness.Event
		for i := range n {
			due := time.Duration(i+1) * time.Second
			e := harness.Event{At: due + time.Millisecond, Type: harness.OK, Case: "NFR/c", Op: fmt.Sprintf("%s-%d", OpProbe, i+1),
				Request: &harness.Request{Operation: harness.OpCheckout, Due: due}, Answer: &harness.Answer{Status: 409}}
			if i == 7 && odd != nil {
				odd(&e)
			}
			events = append(events, e)
		}
		return events
	}
	for name, test := range map[string]struct {
		odd  func(*harness.Event)
		want harness.Outcome
		says string
	}{
		"all answered": {nil, harness.Pass, "no month"},
		"a 503":        {func(e *harness.Event) { e.Answer.Status = 503 }, harness.Fail, "status 503"},
		"no answer":    {func(e *harness.Event) { e.Type, e.Answer, e.Error = harness.Info, nil, "reset" }, harness.Fail, "no answer: reset"},
		"refused":      {func(e *harness.Event) { e.Type, e.Answer, e.Error = harness.Failure, nil, "refused" }, harness.Fail, "no answer: refused"},
		"too late":     {func(e *harness.Event) { e.At = e.Request.Due + 31*time.Second }, harness.Fail, "after 31.000 s"},
		"in time":      {func(e *harness.Event) { e.At = e.Request.Due + 30*time.Second }, harness.Pass, ""},
		"never due":    {func(e *harness.Event) { e.Request.Due = 0 }, harness.Inconclusive, "not due"},
	} {
		h := seriesHeader(n, 0.14, "")
		if m := Available(harness.NewHistory(h, probes(test.odd)...)); m.Outcome != test.want || !strings.Contains(m.Reason+m.Observed, test.says) {
			t.Errorf("%s: %s %s %s", name, m.Outcome, m.Reason, m.Observed)
		}
	}
	h := seriesHeader(n-1, 0.15, "")
	h.Started = time.Unix(0, 0)
	h.Maintenance = []harness.Maintenance{{From: time.Unix(8, 0), To: time.Unix(9, 0), Why: "upgrade"}}
	if m := Available(harness.NewHistory(h, probes(func(e *harness.Event) { e.Answer.Status = 503 })...)); m.Outcome != harness.Pass || !strings.Contains(m.Reason, "1 probes were due in declared maintenance") {
		t.Errorf("in maintenance: %s %s", m.Outcome, m.Reason)
	}
	for requirements, want := range map[string]harness.Outcome{"srs": harness.Fail, "own": harness.Pass} {
		h := seriesHeader(n, 0.15, "")
		h.Policy.Checkout.Deadline, h.Requirements = harness.Duration(33*time.Second), requirements
		late := func(e *harness.Event) { e.At = e.Request.Due + 33*time.Second }
		if m := Available(harness.NewHistory(h, probes(late)...)); m.Outcome != want || !strings.Contains(m.Reason+m.Observed, "declares deadline 33s") {
			t.Errorf("a looser deadline, requirements %s: %s %s %s", requirements, m.Outcome, m.Reason, m.Observed)
		}
	}
	if m := Available(harness.NewHistory(seriesHeader(n, 0.15, ""))); m.Outcome != harness.Inconclusive {
		t.Errorf("nothing: %s", m.Outcome)
	}
}
