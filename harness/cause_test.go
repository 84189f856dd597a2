package harness

import (
	"errors"
	"strings"
	"testing"
)

// The positive control fails for many reasons. What it tells a user to look at
// has to follow the reason: the beginning of each line is checked.
func TestControlNextFollowsTheCause(t *testing.T) {
	dialect := Dialect{Pending: Refusal{Statuses: []int{202}}, Declined: Refusal{Statuses: []int{402}}, InProgress: busyBy409()}
	request := func(label string) Event {
		return Event{Case: ControlID + "/" + label, Request: &Request{Operation: OpCheckout, Principal: "alice"}}
	}
	answered := func(a Answer) Event {
		e := request("first")
		e.Type, e.Answer = OK, &a
		return e
	}
	success := func(id string) Event { return answered(Answer{Status: 201, JSON: true, RequestID: id}) }
	lost := func(typ EventType, label string) Event {
		e := request(label)
		e.Type, e.Error = typ, "no answer"
		return e
	}
	mark := func(name string, orders int64) Event {
		m := Mark{Name: name, Detail: name}
		if orders > 0 {
			m.Count = map[string]int64{"order": orders}
		}
		return Event{Type: MarkEvent, Mark: &m}
	}
	end := mark(MarkEnd, 0)
	fault := mark(MarkError, 0)
	counted := func(zero, one, two, three int64) []Event {
		return []Event{mark(markControl0, zero), success("a"), mark(markControl1, one), success("b"), mark(markControl2, two), mark(markControl3, three), end}
	}
	refusedWith := func(a Answer) []Event { return []Event{answered(a), end} }
	for _, row := range []struct {
		name   string
		events []Event
		change func(*Header)
		want   []string // the beginning of each line
	}{
		{"it passes", counted(0, 1, 2, 3), nil, nil},
		{"the token is refused", refusedWith(Answer{Status: 401, JSON: true}), nil, []string{"principals.alice.header: is the token"}},
		{"it is forbidden", refusedWith(Answer{Status: 403, JSON: true}), nil, []string{"principals.alice.header: is the token"}},
		{"there is no route", refusedWith(Answer{Status: 404}), nil, []string{"target.url, checkout.path and checkout.method"}},
		{"another method", refusedWith(Answer{Status: 405}), nil, []string{"target.url, checkout.path and checkout.method"}},
		{"a redirect", refusedWith(Answer{Status: 302}), nil, []string{"target.url and checkout.path: declare the URL"}},
		{"the body is refused", refusedWith(Answer{Status: 422, JSON: true, Code: "CART"}), nil, []string{"checkout.body and checkout.header: does the API take", "dialect: what does the API mean by 422 CART?"}},
		{"a decline", refusedWith(Answer{Status: 402, JSON: true}), nil, []string{"checkout.body: is the payment"}},
		{"in progress", refusedWith(Answer{Status: 409, JSON: true}), nil, []string{"checkout.header and checkout.body: is there a fixed key", "dialect: is this status"}},
		{"too many requests", refusedWith(Answer{Status: 429}), nil, []string{"limits.rate"}},
		{"it fails", refusedWith(Answer{Status: 500}), nil, []string{"the target's log: why does a plain checkout fail? Do the systems", "checkout.body and checkout.header"}},
		{"it fails behind our links", refusedWith(Answer{Status: 503}), withLinks, []string{"the target's log: why does a plain checkout fail? Do the dependencies", "checkout.body and checkout.header"}},
		{"it fails since a dependency refuses", []Event{{Type: CallEvent, Case: ControlID + "/first", Call: &Call{Link: "payment", Operation: "charge", Status: 422}}, answered(Answer{Status: 502}), end}, withLinks,
			[]string{"the target's log: why does a plain checkout fail? A dependency refused its call: payment charge answered with status 422.", "checkout.body and checkout.header"}},
		{"a decline of a dependency", []Event{{Type: CallEvent, Case: ControlID + "/first", Call: &Call{Link: "payment", Status: 422}}, answered(Answer{Status: 402, JSON: true}), end}, withLinks,
			[]string{"checkout.body: is the payment", "dependencies: A dependency refused its call: payment answered with status 422"}},
		{"it is parked", refusedWith(Answer{Status: 202, JSON: true, RequestID: "a"}), nil, []string{"the target's log: why is a plain checkout parked"}},
		{"a page", refusedWith(Answer{Status: 200}), nil, []string{"target.url and checkout.path: is it the API itself"}},
		{"nothing is named", refusedWith(Answer{Status: 201, JSON: true}), nil, []string{"response.requestId and response.orderId: in which member"}},
		{"one id for two", []Event{success("a"), success("a"), end}, nil, []string{"response.requestId and response.orderId: do they point", "checkout.header and checkout.body: is there a fixed key"}},
		{"no answer", []Event{lost(Info, "first"), fault, end}, nil, []string{"one plain checkout by hand", "the target's log: what was it waiting for?"}},
		{"no answer behind our links", []Event{lost(Info, "first"), fault, end}, withLinks, []string{"one plain checkout by hand", "dependencies: is the target configured"}},
		{"it cannot be reached", []Event{lost(Failure, "second"), fault, end}, nil, []string{"target.url: is the target still running"}},
		{"no room within the limits", []Event{lost(Failure, "first"), mark(MarkWithheld, 0), fault, end}, nil, []string{"limits: they leave no room"}},
		{"no answer to the same cart again", []Event{success("a"), success("b"), lost(Info, controlAgain), fault, end}, nil, []string{"the cart of a checkout, bought again"}},
		{"the ledger cannot be read", []Event{success("a"), fault, end}, nil, []string{"effects: can the ledger be read", "effects: does somebody else write"}},
		{"the ledger does not come to rest", []Event{success("a"), success("b"), mark(MarkUnsettled, 0), end}, nil, []string{"effects: can the ledger be read", "effects: does somebody else write"}},
		{"nothing comes to rest, without a ledger", []Event{success("a"), success("b"), fault, end}, func(h *Header) { h.Capabilities = nil }, []string{"the target's log: what is it still doing"}},
		{"interrupted", []Event{lost(Info, "first"), mark(MarkInterrupted, 0), fault, end}, nil, []string{"it was interrupted"}},
		{"a control leaves it down", []Event{success("a"), success("b"), {Type: MarkEvent, Case: ControlID + "/" + claimCase + "process-control", Mark: &Mark{Name: markClaimWorkNot}}, fault, end}, nil,
			[]string{"the target: is it as it was?", "control: what the profile declares for process-control, done by hand"}},
		{"an interrupted control", []Event{success("a"), success("b"), {Type: MarkEvent, Case: ControlID + "/" + claimCase + "process-control", Mark: &Mark{Name: markClaimWorkNot}}, mark(MarkInterrupted, 0), fault, end}, nil,
			[]string{"it was interrupted"}},
		{"the ledger fails after a claim that is no control", []Event{success("a"), success("b"), {Type: MarkEvent, Case: ControlID + "/" + claimCase + "status", Mark: &Mark{Name: markClaimWorkNot}}, fault, end}, nil,
			[]string{"effects: can the ledger be read", "effects: does somebody else write"}},
		{"cut off", []Event{success("a"), success("b")}, nil, []string{"the run folder"}},
		{"effects before anything was sent", counted(1, 1, 2, 3), nil, []string{"effects: does the query honour {{since}}"}},
		{"no effects", counted(0, 0, 0, 0), nil, []string{"effects: does the query return", "effects: is it the ledger of the system"}},
		{"twice as many", counted(0, 2, 4, 6), nil, []string{"effects.perSuccess: which entries", "effects: does the query return"}},
		{"duplicates are merged", counted(0, 1, 2, 2), nil, []string{"effects: does the query merge entries"}},
		{"nothing is declared", counted(0, 1, 2, 3), func(h *Header) { h.PerSuccess = nil }, []string{"effects.perSuccess: which entries"}},
		{"another customer's refusal is not its cause", append(counted(0, 0, 0, 0), Event{Type: OK, Case: ControlID + "/" + principalCase + "bob", Request: &Request{Operation: OpCheckout}, Answer: &Answer{Status: 401}}),
			nil, []string{"effects: does the query return", "effects: is it the ledger of the system"}},
	} {
		header := Header{Dialect: dialect, PerSuccess: map[string]int{"order": 1}, Capabilities: []Capability{CapEffects}}
		if row.change != nil {
			row.change(&header)
		}
		got := ControlNext(NewHistory(header, row.events...))
		if err := begin(got, row.want); err != nil {
			t.Errorf("%s: %v\ngot:\n  %s", row.name, err, strings.Join(got, "\n  "))
		}
	}
}

// busyBy409 is how a request in progress is told by a status that means it.
func busyBy409() InProgress {
	return InProgress{Mode: "refuse", Refusal: Refusal{Statuses: []int{409}}}
}

func withLinks(h *Header) { h.Links = []LinkInfo{{Name: "payment"}} }

// begin compares lines with their beginnings.
func begin(got, want []string) error {
	if len(got) != len(want) {
		return errors.New("another number of lines")
	}
	for i, line := range want {
		if !strings.HasPrefix(got[i], line) {
			return errors.New("not as wanted: " + line)
		}
	}
	return nil
}
