package mapping

import (
	"fmt"
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

// plain are the members of the requirements.
var plain = Expressions{RequestID: ".requestId", OrderID: ".orderId", State: ".state", Code: ".code",
	AttemptCount: ".attemptCount", Retryable: ".retryable", CorrelationID: ".correlationId"}

func fill(t *testing.T, e Expressions, body string) harness.Answer {
	t.Helper()
	m, err := New(e)
	if err != nil {
		t.Fatal(err)
	}
	var a harness.Answer
	m.Fill(&a, []byte(body))
	return a
}

// told writes an answer's fields in one line.
func told(a harness.Answer) string {
	text := strings.Join([]string{a.RequestID, a.OrderID, a.State, a.Code, a.CorrelationID}, ",")
	if a.AttemptCount != nil {
		text += fmt.Sprint(" attempts ", *a.AttemptCount)
	}
	if a.Retryable != nil {
		text += fmt.Sprint(" retryable ", *a.Retryable)
	}
	if !a.JSON {
		text += " not JSON"
	}
	return text
}

func TestFill(t *testing.T) {
	nested := Expressions{RequestID: ".id", OrderID: "(.order | objects | .id)", Code: ".code // (.error | objects | .code // .type)"}
	for _, row := range []struct {
		name        string
		expressions Expressions
		body, want  string
	}{
		{"all", plain, `{"requestId":"r1","orderId":"o1","state":"SUCCEEDED","code":"X","attemptCount":2,"retryable":false,"correlationId":"c"}`, "r1,o1,SUCCEEDED,X,c attempts 2 retryable false"},
		{"numbers are ids", plain, `{"requestId":12345678901234567890,"orderId":7}`, ",7,,,"},
		{"other types are absent", plain, `{"requestId":7.5,"orderId":["o"],"state":{},"code":true,"attemptCount":"2","retryable":"yes","correlationId":null}`, ",,,,"},
		{"no whole number", plain, `{"attemptCount":1.5}`, ",,,,"},
		{"a number beyond counting", plain, `{"attemptCount":99999999999999999999}`, ",,,,"},
		{"html", plain, "<html>", ",,,, not JSON"},
		{"an array", plain, `[{"orderId":"o1"}]`, ",,,, not JSON"},
		{"null", plain, "null", ",,,, not JSON"},
		{"nothing", plain, "", ",,,, not JSON"},
		{"two values", plain, `{"orderId":"o1"} {"orderId":"o2"}`, ",,,, not JSON"},
		{"nested", nested, `{"id":"s1","order":{"id":"o1"}}`, "s1,o1,,,"},
		{"a nested error", nested, `{"error":{"type":"idempotency_error"}}`, ",,,idempotency_error,"},
		{"an error of another form", nested, `{"error":"broken","order":"none"}`, ",,,,"},
		{"the expression fails on this body", Expressions{OrderID: ".order.id"}, `{"order":"o1"}`, ",,,,"},
		{"the first of several results", Expressions{OrderID: ".orders[].id"}, `{"orders":[{"id":"o1"},{"id":"o2"}]}`, ",o1,,,"},
		{"no expressions", Expressions{}, `{"orderId":"o1"}`, ",,,,"},
		{"a calculated count", Expressions{AttemptCount: ".tries | length"}, `{"tries":[1,2,3]}`, ",,,, attempts 3"},
		{"long digits survive", Expressions{OrderID: ".id | tostring"}, `{"id":9007199254740993}`, ",9007199254740993,,,"},
		{"an endless expression ends", Expressions{OrderID: "def f: f; f"}, `{"orderId":"o1"}`, ",,,,"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := told(fill(t, row.expressions, row.body)); got != row.want {
				t.Errorf("got %s, want %s", got, row.want)
			}
		})
	}
}

func TestWrongExpressionsNameTheirField(t *testing.T) {
	for _, e := range []Expressions{{OrderID: ".["}, {OrderID: "nosuchfunction"}, {OrderID: "$x"}, {OrderID: `include "x"; .`}} {
		if _, err := New(e); err == nil || !strings.HasPrefix(err.Error(), "orderId: ") || !strings.Contains(err.Error(), e.OrderID[:2]) {
			t.Errorf("%q: %v", e.OrderID, err)
		}
	}
}

// FuzzFill: whatever a body and an expression hold, nothing panics, and a body
// that is no object fills no field.
func FuzzFill(f *testing.F) {
	f.Add(".orderId", `{"orderId":"o"}`)
	f.Add(".a[]?.b // .c", `{"a":[1,{"b":"x"}]}`)
	f.Fuzz(func(t *testing.T, expression, body string) {
		m, err := New(Expressions{OrderID: expression})
		if err != nil {
			return
		}
		var a harness.Answer
		m.Fill(&a, []byte(body))
		if !a.JSON && a.OrderID != "" {
			t.Errorf("%q of a body that is no object is %q", expression, a.OrderID)
		}
	})
}
