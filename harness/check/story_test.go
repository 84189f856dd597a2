package check

import (
	"fmt"
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// story writes a literal history, one line of test per event.
type story struct {
	header harness.Header
	events []harness.Event
	ops    int
}

func newStory() *story {
	return &story{header: harness.Header{
		Scenario: "t/s", PerSuccess: map[string]int{"charge": 1, "reservation": 1, "order": 1},
		Capabilities: []harness.Capability{harness.CapCheckout, harness.CapEffects, harness.CapDependencies},
		Dialect: harness.Dialect{
			Name: "srs", KeyMin: 1, KeyMax: 128, Scope: []string{"tenant", "principal", "operation", "version"},
			Missing:    harness.MissingKey{Refusal: harness.Refusal{Statuses: []int{400, 422}, Code: "VALIDATION_ERROR"}},
			Malformed:  harness.Refusal{Statuses: []int{400, 422}},
			Mismatch:   harness.Mismatch{Refusal: harness.Refusal{Statuses: []int{409}, Code: "IDEMPOTENCY_CONFLICT"}, Mode: "refuse"},
			InProgress: harness.InProgress{Refusal: harness.Refusal{Statuses: []int{409}, Code: "REQUEST_IN_PROGRESS"}, Mode: "refuse"},
			Pending:    harness.Refusal{Statuses: []int{202}},
			Declined:   harness.Refusal{Statuses: []int{402}, Code: "PAYMENT_DECLINED"},
		},
		Links: []harness.LinkInfo{
			{Name: "payment", Operations: []harness.OperationInfo{{Name: "charge", Effect: "charge"}, {Name: "query", Query: true}}},
			{Name: "orders", Operations: []harness.OperationInfo{{Name: "create", Effect: "order"}}},
		},
	}}
}

func (s *story) add(e harness.Event) *story {
	e.At = time.Duration(len(s.events)+1) * time.Millisecond
	s.events = append(s.events, e)
	return s
}

// invoke sends; the operation id it returns is answered later.
func (s *story) invoke(c string, r harness.Request) string {
	s.ops++
	op := fmt.Sprintf("op-%d", s.ops)
	if r.Operation == "" {
		r.Operation = harness.OpCheckout
	}
	if r.Principal == "" {
		r.Principal = "alice"
	}
	s.add(harness.Event{Type: harness.Invoke, Case: "t/s/" + c, Op: op, Request: &r})
	return op
}

func (s *story) request(op string) harness.Event {
	for _, e := range s.events {
		if e.Op == op {
			return e
		}
	}
	panic("no " + op)
}

func (s *story) answer(op string, a harness.Answer) *story {
	e := s.request(op)
	if a.BodySHA256 == "" {
		a.BodySHA256 = "sha of " + a.OrderID + a.Code
	}
	return s.add(harness.Event{Type: harness.OK, Case: e.Case, Op: op, Request: e.Request, Answer: &a})
}

func (s *story) lose(op string) *story {
	e := s.request(op)
	return s.add(harness.Event{Type: harness.Info, Case: e.Case, Op: op, Request: e.Request, Error: "connection reset"})
}

// send is invoke and answer in one.
func (s *story) send(c string, r harness.Request, a harness.Answer) *story {
	return s.answer(s.invoke(c, r), a)
}

func (s *story) effect(c, kind string) *story {
	return s.add(harness.Event{Type: harness.EffectEvent, Case: "t/s/" + c, Effect: &harness.Effect{Kind: kind, ID: kind + "-1"}})
}

func (s *story) success(c string) *story {
	return s.effect(c, "charge").effect(c, "reservation").effect(c, "order")
}

// call is a dependency call that starts now.
func (s *story) call(c string, call harness.Call) *story {
	call.Started = time.Duration(len(s.events)+1) * time.Millisecond
	return s.add(harness.Event{Type: harness.CallEvent, Case: "t/s/" + c, Call: &call})
}

func (s *story) charge(c, key, fault string, status int) *story {
	return s.call(c, harness.Call{Link: "payment", Operation: "charge", Method: "POST", Path: "/charges", Key: key, Fault: fault, Upstream: 201, Status: status})
}

func (s *story) mark(c, name string) *story {
	return s.add(harness.Event{Type: harness.MarkEvent, Case: "t/s/" + c, Mark: &harness.Mark{Name: name, Detail: name}})
}

func (s *story) plan(c, fault string) *story {
	return s.add(harness.Event{Type: harness.FaultEvent, Case: "t/s/" + c, Fault: &harness.FaultRecord{Fault: fault, Stage: harness.FaultPlanned}})
}

func (s *story) history() *harness.History { return harness.NewHistory(s.header, s.events...) }

// Answers and requests that many tests use.
var (
	created    = harness.Answer{Status: 201, OrderID: "o1", RequestID: "r1", JSON: true}
	busy       = harness.Answer{Status: 409, Code: "REQUEST_IN_PROGRESS"}
	conflict   = harness.Answer{Status: 409, Code: "IDEMPOTENCY_CONFLICT"}
	invalid    = harness.Answer{Status: 400, Code: "VALIDATION_ERROR"}
	declined   = harness.Answer{Status: 402, Code: "PAYMENT_DECLINED"}
	keyK       = harness.Request{Keys: []string{"k"}, BodySHA256: "b1"}
	keyKOther  = harness.Request{Keys: []string{"k"}, BodySHA256: "b2"}
	keyKFinal  = harness.Request{Keys: []string{"k"}, BodySHA256: "b1", Final: true}
	notFound   = harness.Answer{Status: 404, Code: "NOT_FOUND", Body: `{"code":"NOT_FOUND"}`, Header: map[string][]string{"Content-Type": {"application/json"}}}
	statusRead = harness.Request{Operation: harness.OpStatus, Method: "GET", Path: "/checkout/r1"}
)

// judged is one row: a history and what the judge must make of it.
type judged struct {
	name  string
	story *story
	want  harness.Outcome
}

func judgeAll(t *testing.T, judge func(*harness.History) harness.Verdict, rows ...judged) {
	t.Helper()
	rows = append(rows, judged{"an empty history decides nothing", newStory(), harness.Inconclusive})
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			h := row.story.history()
			v := judge(h)
			if v.Outcome != row.want {
				t.Errorf("got %s (%s), want %s", v.Outcome, v.Reason, row.want)
			}
			if v.Reason == "" {
				t.Error("a verdict without a reason")
			}
			if v.Outcome == harness.Fail && (v.Expected == "" || v.Observed == "" || len(v.Witness) == 0) {
				t.Errorf("a failure has to show expected, observed and witnesses: %+v", v)
			}
			if again := judge(h); again.Outcome != v.Outcome || again.Reason != v.Reason {
				t.Errorf("judging again gives %s (%s)", again.Outcome, again.Reason)
			}
		})
	}
}
