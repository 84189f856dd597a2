package profile

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/goccy/go-yaml"
)

func TestResponseOf(t *testing.T) {
	srs := Response{RequestID: ".requestId", OrderID: ".orderId", State: ".state", Code: ".code",
		AttemptCount: ".attemptCount", UpdatedAt: ".updatedAt", Retryable: ".retryable", CorrelationID: ".correlationId"}
	change := func(r Response, f func(*Response)) Response { f(&r); return r }
	for _, row := range []struct {
		name, text       string
		checkout, status Response
	}{
		{"the requirements'", "dialect: srs", srs, srs},
		{"problem+json", "dialect: {errorFormat: problem}", change(srs, func(r *Response) { r.Code = ".code // .type" }), change(srs, func(r *Response) { r.Code = ".code // .type" })},
		{"the profile's", `response: {orderId: .order.id}`, change(srs, func(r *Response) { r.OrderID = ".order.id" }), change(srs, func(r *Response) { r.OrderID = ".order.id" })},
		{"an operation's", `response: {orderId: .order.id, state: .phase}
status: {path: "/checkout/{{requestId}}", response: {orderId: .id}}`,
			change(srs, func(r *Response) { r.OrderID, r.State = ".order.id", ".phase" }),
			change(srs, func(r *Response) { r.OrderID, r.State = ".id", ".phase" })},
		{"a preset's, and one that is turned", "dialect: {base: stripe, keyMin: 2}\nresponse: {orderId: .charge}",
			change(srs, func(r *Response) {
				r.RequestID, r.OrderID, r.State = ".id", ".charge", ".status"
				r.Code = `(.error.type | select(. == "idempotency_error")) // .error.code // .error.type`
			}), Response{}},
	} {
		p := parse(t, row.text+rest)
		if got := p.ResponseOf(*p.Checkout); got != row.checkout {
			t.Errorf("%s, checkout: %+v", row.name, got)
		}
		if p.Status == nil {
			continue
		}
		if got := p.ResponseOf(*p.Status); got != row.status {
			t.Errorf("%s, status: %+v", row.name, got)
		}
	}
}

// TestSchemaKnowsResponsesAndKnobs: what may be turned and mapped is known to
// editors too.
func TestSchemaKnowsResponsesAndKnobs(t *testing.T) {
	text, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("testdata/good/mapped.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var profile any
	if err := yaml.Unmarshal(data, &profile); err != nil {
		t.Fatal(err)
	}
	definitions := schema["$defs"].(map[string]any)
	if err := conforms(definitions, schema, profile, ""); err != nil {
		t.Error(err)
	}
	if conforms(definitions, schema, map[string]any{"response": map[string]any{"orderID": ".id"}}, "") == nil {
		t.Error("the schema knows response.orderID")
	}
	presets := definitions["DialectSpec"].(map[string]any)["anyOf"].([]any)[0].(map[string]any)["enum"].([]any)
	if len(presets) != len(Dialects()) {
		t.Errorf("the schema names %v", presets)
	}
}
