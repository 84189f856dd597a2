package harness

import (
	"strings"
	"testing"
)

func TestHintsWhereOneIDNamesRequestAndOrder(t *testing.T) {
	answer := func(c, operation string, status int, request, order string) Event {
		return Event{Type: OK, Case: ControlID + "/" + c, Request: &Request{Operation: operation}, Answer: &Answer{Status: status, JSON: true, RequestID: request, OrderID: order}}
	}
	plain := func(c, request, order string) Event { return answer(c, OpCheckout, 201, request, order) }
	for _, row := range []struct {
		name   string
		events []Event
		want   int
	}{
		{"the same in all", []Event{plain("first", "a", "a"), plain("second", "b", "b"), plain(controlAgain, "c", "c"), plain(principalCase+"bob", "d", "d")}, 1},
		{"different", []Event{plain("first", "a", "o1"), plain("second", "b", "o2")}, 0},
		{"the same in one only", []Event{plain("first", "a", "a"), plain("second", "b", "o2")}, 0},
		{"another customer's differ", []Event{plain("first", "a", "a"), plain("second", "b", "b"), plain(principalCase+"bob", "c", "o3")}, 0},
		{"only requests are named", []Event{plain("first", "a", ""), plain("second", "b", "")}, 0},
		{"only orders are named", []Event{plain("first", "", "o1"), plain("second", "", "o2")}, 0},
		{"a refusal and a status do not matter", []Event{plain("first", "a", "a"), plain("second", "b", "b"), answer(controlAgain, OpCheckout, 422, "c", ""), answer(principalCase+"support", OpStatus, 200, "a", "o1")}, 1},
		{"no success", []Event{answer("first", OpCheckout, 400, "a", "a")}, 0},
		{"nothing", nil, 0},
	} {
		h := NewHistory(Header{}, row.events...)
		got := Hints(h)
		if len(got) != row.want {
			t.Errorf("%s: %v, want %d hint(s)", row.name, got, row.want)
		}
		for _, hint := range got {
			if hint.About != "response.orderId" || !strings.Contains(hint.Text, "I2") || hint.Next == "" {
				t.Errorf("%s: %+v", row.name, hint)
			}
		}
	}
}

// A hint is no verdict: the control and the principals are judged alike with and
// without it.
func TestHintsChangeNoVerdict(t *testing.T) {
	verdict := func(order string) Verdict {
		ok := func(id string) Event {
			return Event{Type: OK, Case: ControlID + "/x", Request: &Request{Operation: OpCheckout}, Answer: &Answer{Status: 201, JSON: true, RequestID: id, OrderID: order + id}}
		}
		h := NewHistory(Header{}, ok("a"), ok("b"), Event{Type: MarkEvent, Mark: &Mark{Name: MarkEnd}})
		if hinted := len(Hints(h)) > 0; hinted != (order == "") {
			t.Errorf("order %q: hinted %t", order, hinted)
		}
		return JudgeControl(h)
	}
	if same, different := verdict(""), verdict("order-"); same.Outcome != Pass || same.Reason != different.Reason {
		t.Errorf("%+v, %+v", same, different)
	}
}
