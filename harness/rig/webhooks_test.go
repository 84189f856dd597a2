package rig

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/oncecheck/oncecheck/harness"
)

const webhookSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLASw"

// TestWebhooksAreSigned: the target can tell who sent a webhook by the bytes that
// it got, and nothing else that we send is signed.
func TestWebhooksAreSigned(t *testing.T) {
	verifier, err := standardwebhooks.NewWebhook(webhookSecret)
	if err != nil {
		t.Fatal(err)
	}
	verified := make(chan error, 2)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			body, _ := io.ReadAll(r.Body)
			verified <- verifier.Verify(body, r.Header)
		}
		w.WriteHeader(http.StatusAccepted)
	}))
	defer server.Close()
	r, err := Open(t.Context(), load(t, profileOf(server.URL, `
webhooks: {payment: {path: /hooks, body: {data: {key: "{{providerKey}}"}}, signature: {scheme: standard-webhooks, secret: `+webhookSecret+`}}}
`)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close(t.Context()) }()
	calls := make(chan harness.Call, 2)
	defer r.Target.Journal.Follow("c/1", []string{"c/1"}, func(c harness.Call) { calls <- c })()
	for _, a := range []harness.Attempt{
		{Operation: harness.OpWebhook, CaseID: "c/1", Vars: map[string]any{"providerKey": "pk", "eventId": "evt_1"}}, attempt(),
	} {
		if _, answer, err := r.Target.Sender.Send(t.Context(), a); err != nil || answer.Status != http.StatusAccepted {
			t.Fatalf("%s: %+v, %v", a.Operation, answer, err)
		}
	}
	if err := <-verified; err != nil {
		t.Errorf("the webhook: %v", err)
	}
	if err := <-verified; err == nil {
		t.Error("the checkout is signed, too")
	}
	if c := <-calls; c.Operation != harness.OpWebhook || c.Upstream != http.StatusAccepted {
		t.Errorf("the journal says %+v", c)
	}
	if _, _, err := r.Target.Sender.Send(t.Context(), harness.Attempt{Operation: harness.OpWebhook, CaseID: "c/1"}); err == nil {
		t.Error("a webhook that names no payment was sent")
	}
}
