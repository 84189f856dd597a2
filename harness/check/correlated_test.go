package check

import (
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

func TestCorrelated(t *testing.T) {
	asked := func(id string) harness.Request { return harness.Request{Keys: []string{id}, CorrelationID: id} }
	ok := func(id string) harness.Answer {
		return harness.Answer{Status: 201, RequestID: "req-" + id, OrderID: "o"}
	}
	call := func(s *story, c, link, operation, id string) {
		s.call(c, harness.Call{Link: link, Operation: operation, Method: "POST", Path: "/" + operation, CorrelationID: id})
	}
	record := func(s *story, c, id string) {
		s.add(harness.Event{Type: harness.LogEvent, Case: "t/s/" + c, Log: &harness.LogRecord{Line: `{"requestId":"req-` + c + `"}`, CorrelationID: id}})
	}
	read := func(s *story) *story {
		return s.add(harness.Event{Type: harness.MarkEvent, Mark: &harness.Mark{Name: harness.MarkLogs, Count: map[string]int64{"lines": 9}}})
	}
	// Two requests, held and beside, with what the first one's calls and records carry.
	two := func(heldPayment, heldOrder, heldRecord string) *story {
		s := newStory()
		held := s.invoke("held", asked("held"))
		call(s, "held", "payment", "charge", heldPayment)
		beside := s.invoke("beside", asked("beside"))
		call(s, "beside", "payment", "charge", "beside")
		call(s, "beside", "orders", "create", "beside")
		s.answer(beside, ok("beside"))
		call(s, "held", "orders", "create", heldOrder)
		s.answer(held, ok("held"))
		record(s, "held", heldRecord)
		record(s, "beside", "beside")
		return read(s)
	}
	apart := newStory().send("held", asked("held"), ok("held")).send("beside", asked("beside"), ok("beside"))
	unread := two("held", "held", "held")
	unread.events = unread.events[:len(unread.events)-1]
	stray := two("held", "held", "held")
	stray.add(harness.Event{Type: harness.CallEvent, Call: &harness.Call{Link: "payment", Method: "GET", Path: "/charges"}})
	silent := two("held", "held", "held")
	for i, e := range silent.events {
		if e.Type == harness.LogEvent && e.Case == "t/s/held" {
			silent.events = append(silent.events[:i:i], silent.events[i+1:]...)
			break
		}
	}
	uncalled := newStory()
	a, b := uncalled.invoke("held", asked("held")), uncalled.invoke("beside", asked("beside"))
	uncalled.answer(a, ok("held")).answer(b, ok("beside"))
	// The same dependency takes the payments and the orders.
	oneLink := func(s *story) *story {
		charge, order := s.header.Links[0].Operations[0], s.header.Links[1].Operations[0]
		s.header.Links = []harness.LinkInfo{{Name: "shop", Operations: []harness.OperationInfo{charge, order}}}
		for _, e := range s.events {
			if e.Type == harness.CallEvent {
				e.Call.Link = "shop"
			}
		}
		return s
	}
	orderless := two("held", "held", "held")
	for i, e := range orderless.events {
		if e.Type == harness.CallEvent && e.Case == "t/s/held" && e.Call.Operation == "create" {
			orderless.events = append(orderless.events[:i:i], orderless.events[i+1:]...)
			break
		}
	}
	judgeAll(t, Correlated(All()),
		judged{"each keeps its own", two("held", "held", "held"), harness.Pass},
		judged{"the order carries the other one's", two("held", "beside", "held"), harness.Fail},
		judged{"the payment carries one of its own making", two("made", "held", "held"), harness.Fail},
		judged{"a record carries none", two("held", "held", ""), harness.Fail},
		judged{"no record names the request", silent, harness.Fail},
		judged{"one after the other", read(apart), harness.Inconclusive},
		judged{"the log was not read", unread, harness.Inconclusive},
		judged{"a call that nobody owns", stray, harness.Inconclusive},
		judged{"no calls", read(uncalled), harness.Inconclusive},
		judged{"two effects on one link", oneLink(two("held", "held", "held")), harness.Pass},
		judged{"one of two effects on one link was not seen", oneLink(orderless), harness.Inconclusive},
	)
}
