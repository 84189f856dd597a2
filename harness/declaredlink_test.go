package harness

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestDeclaredLinks: a dependency that the plain checkouts do not call through us
// is a claim that does not hold, unless the profile says so.
func TestDeclaredLinks(t *testing.T) {
	payment := LinkInfo{Name: "payment", Operations: []OperationInfo{{Name: "charge", Effect: "charge"}, {Name: "intent", Effect: "charge"}, {Name: "query", Query: true}, {Name: "void", Effect: "void"}}}
	stock := LinkInfo{Name: "stock", Operations: []OperationInfo{{Name: "reserve", Effect: "reservation"}}}
	optional := stock
	optional.Optional = true
	ask := &Request{Operation: OpCheckout, Keys: []string{"k"}}
	sold := Event{Type: OK, Case: "control/first", Request: ask, Answer: &Answer{Status: 201, JSON: true, RequestID: "r1"}}
	refused := sold
	refused.Answer = &Answer{Status: 503}
	call := func(id, link, operation string) Event {
		return Event{Type: CallEvent, Case: id, Call: &Call{Link: link, Operation: operation}}
	}
	charged := call("control/first", "payment", "charge")
	for _, row := range []struct {
		name   string
		links  []LinkInfo
		events []Event
		want   string // names, those that do not work with a bang
		says   string
	}{
		{"empty", nil, nil, "", ""},
		{"all called", []LinkInfo{payment, stock}, []Event{charged, call("control/first", "stock", "reserve"), sold}, "dependencies.payment dependencies.stock", ""},
		{"one never called", []LinkInfo{payment, stock}, []Event{charged, sold}, "dependencies.payment dependencies.stock!", "no call of the plain checkouts came through it; nothing was sent to its address: point the target at it, or, where a plain checkout does not call it, say dependencies.stock.optional: true"},
		{"one that the profile calls optional", []LinkInfo{payment, optional}, []Event{charged, sold}, "dependencies.payment", ""},
		{"another operation with the effect", []LinkInfo{payment}, []Event{call("control/again", "payment", "intent"), sold}, "dependencies.payment", ""},
		{"a query is no charge", []LinkInfo{payment}, []Event{call("control/first", "payment", "query"), sold}, "dependencies.payment!", "came through it as charge or intent, which leaves the charge"},
		{"an effect that is not counted: any call", []LinkInfo{stock}, []Event{call("control/first", "stock", ""), sold}, "dependencies.stock", ""},
		{"a call of no case", []LinkInfo{payment}, []Event{call("", "payment", "charge"), sold}, "dependencies.payment!", "and attribute finds nothing in it: let attribute or attributeHeader name"},
		{"a call of no case, with something", []LinkInfo{payment}, []Event{{Type: CallEvent, Call: &Call{Link: "payment", Operation: "charge", Method: "POST", Path: "/charges?x=1", Reference: "7"}}, sold}, "dependencies.payment!",
			"POST /charges came as charge, and what attribute finds in it is nothing of a checkout's"},
		{"a call of no route", []LinkInfo{payment}, []Event{{Type: CallEvent, Call: &Call{Link: "payment", Method: "POST", Path: "/v1/charges"}}, sold}, "dependencies.payment!",
			"POST /v1/charges came, which is none of its operations (charge, intent, query, void): correct their method and path"},
		{"strays beside what is right", []LinkInfo{payment}, []Event{{Type: CallEvent, Call: &Call{Link: "payment", Method: "GET", Path: "/health"}}, charged, sold}, "dependencies.payment", ""},
		{"only what tries a claim calls it", []LinkInfo{payment}, []Event{call("control/claim-decline", "payment", "charge"), call("control/principal-bob", "payment", "charge"), sold}, "dependencies.payment!", "optional: true"},
		{"no checkout succeeded", []LinkInfo{payment}, []Event{refused}, "", ""},
		{"no plain checkout was made", []LinkInfo{payment}, []Event{{Type: OK, Case: "control/claim-second-operation.x", Request: ask, Answer: sold.Answer}}, "", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			h := NewHistory(Header{Links: row.links, PerSuccess: map[string]int{"charge": 1}}, row.events...)
			var names, unused []string
			said := ""
			for _, c := range JudgeClaims(h) {
				if c.Works {
					names = append(names, c.Name)
					continue
				}
				names, unused, said = append(names, c.Name+"!"), append(unused, strings.TrimPrefix(c.Name, linkClaim)), said+c.Reason
			}
			if got := strings.Join(names, " "); got != row.want {
				t.Errorf("claims %q, want %q", got, row.want)
			}
			if !strings.Contains(said, row.says) || (said == "") != (row.says == "") {
				t.Errorf("said %q, want %q", said, row.says)
			}
			if got := learn(h).unusedLinks; !slices.Equal(got, unused) {
				t.Errorf("the scenarios are told of %v, want %v", got, unused)
			}
		})
	}
}

// TestAnUnusedLinkKeepsARunFromGreen: and the scenarios' histories say so.
func TestAnUnusedLinkKeepsARunFromGreen(t *testing.T) {
	for _, optional := range []bool{false, true} {
		t.Run(fmt.Sprint(optional), bubble(func(t *testing.T) {
			target := shopTarget(&shop{})
			target.Info.Links = []LinkInfo{{Name: "stock", Operations: []OperationInfo{{Name: "reserve", Effect: "reservation"}}, Optional: optional}}
			e, dir := run(t, target, testCatalogue(oneOrder()), everything)
			h, err := OpenHistory(HistoryFile(dir, "x/one-order"))
			if err != nil {
				t.Fatal(err)
			}
			if unused := len(h.Header.UnusedLinks) == 1; unused == optional || (e.Run.Exit == ExitGreen) != optional || len(e.Run.Unmet()) == 1 == optional {
				t.Errorf("unused %v, unmet %v, exit %d", h.Header.UnusedLinks, e.Run.Unmet(), e.Run.Exit)
			}
		}))
	}
}
