package rig

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/profile"
)

// TestAnswersAreMappedByOperation: the profile says where the fields are, and an
// operation may say otherwise.
func TestAnswersAreMappedByOperation(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"id":"r1","order":{"id":"o1"},"phase":"done","error":{"type":"none"}}`)
	}))
	defer server.Close()
	p := load(t, profileOf(server.URL, `
response: {requestId: .id, orderId: .order.id, code: .error.type}
status: {path: "/checkout/{{requestId}}", response: {orderId: .id, state: .phase}}
`))
	r, err := Open(t.Context(), p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close(t.Context()) }()
	_, made, err := r.Target.Sender.Send(t.Context(), attempt())
	if err != nil || made.RequestID != "r1" || made.OrderID != "o1" || made.State != "" || made.Code != "none" || !made.JSON {
		t.Errorf("checkout: %+v, %v", made, err)
	}
	read := harness.Attempt{Operation: harness.OpStatus, Principal: "alice", CaseID: "c/1", Vars: map[string]any{"requestId": "r1"}}
	_, status, err := r.Target.Sender.Send(t.Context(), read)
	if err != nil || status.RequestID != "r1" || status.OrderID != "r1" || status.State != "done" {
		t.Errorf("status: %+v, %v", status, err)
	}
}

func TestAMappingThatIsWrongIsToldBeforeAnythingIsSent(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/checkout") {
			t.Error("a request was sent")
		}
	}))
	defer server.Close()
	for _, text := range []string{`response: {orderId: ".["}`, `status: {path: /s, response: {orderId: nosuch}}`} {
		_, err := Open(t.Context(), load(t, profileOf(server.URL, text)), Options{})
		if err == nil || !strings.Contains(err.Error(), "response.orderId") || !strings.Contains(err.Error(), "correct it in the profile") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestEveryPresetsMappingCompiles: a preset with a broken expression would be
// found by its first user.
func TestEveryPresetsMappingCompiles(t *testing.T) {
	for body, want := range map[string]map[string]string{ // body -> dialect -> request, order, code
		`{"type":"https://x.example/p","title":"reused"}`:                                                                   {"ietf": ",,https://x.example/p"},
		`{"id":"cs","status":"completed","order":{"id":"o"},"messages":[]}`:                                                 {"acp": "cs,o,", "ucp": "cs,o,"},
		`{"id":"cs","status":"in_progress"}`:                                                                                {"acp": "cs,,in_progress"},
		`{"id":"cs","status":"complete_in_progress"}`:                                                                       {"ucp": "cs,,complete_in_progress"},
		`{"id":"cs","status":"ready_for_payment","messages":[{"type":"info"},{"type":"error","code":"payment_declined"}]}`:  {"acp": "cs,,payment_declined"},
		`{"type":"invalid_request","code":"idempotency_in_flight","message":"x"}`:                                           {"acp": ",,idempotency_in_flight"},
		`{"error":{"type":"idempotency_error","code":"idempotency_key_in_use"}}`:                                            {"stripe": ",,idempotency_error", "observe": ",,idempotency_key_in_use"},
		`{"error":{"type":"card_error","code":"card_declined"}}`:                                                            {"stripe": ",,card_declined"},
		`{"id":"pi_1","object":"payment_intent","status":"succeeded"}`:                                                      {"stripe": "pi_1,pi_1,", "observe": "pi_1,pi_1,"},
		`{"requestId":"r","orderId":"o","code":"X","order":"text","error":"text","messages":"text","status":7}`:             {"srs": "r,o,X", "join": "r,o,X", "observe": "r,o,X", "srs-422": "r,o,X"},
		`{"request_id":"r","order":{"id":"o"},"type":"t"}`:                                                                  {"observe": "r,o,t"},
		`{"messages":[{"type":"error","code":"payment_failed","severity":"recoverable"}],"id":"chk","status":"incomplete"}`: {"ucp": "chk,,payment_failed"},
		`{"ucp":{"status":"error"},"messages":[{"type":"warning","code":"w"},{"type":"error","code":"out_of_stock"}]}`:      {"ucp": ",,out_of_stock"},
	} {
		for _, d := range profile.Dialects() {
			p := load(t, "dialect: "+d.Name+profileOf("http://127.0.0.1:1", ""))
			fields, err := responses(p)
			if err != nil {
				t.Fatal(err)
			}
			var a harness.Answer
			fields(harness.OpCheckout, &a, []byte(body))
			if text, given := want[d.Name]; given && strings.Join([]string{a.RequestID, a.OrderID, a.Code}, ",") != text {
				t.Errorf("%s: %s is %s,%s,%s, want %s", d.Name, body, a.RequestID, a.OrderID, a.Code, text)
			}
		}
	}
}
