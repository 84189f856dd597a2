package profile

import (
	"slices"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

const webhooked = `
target: {name: x, url: "http://127.0.0.1:1"}
principals: {alice: {tenant: t1, header: {Authorization: "Bearer x"}}}
checkout: {path: /checkout, body: {cartId: "{{cart}}"}}
webhooks:
  payment:
    path: "/hooks/{{reference}}"
    header: {Authorization: "Bearer hidden-provider-token"}
    body: {type: "charge.{{outcome}}", data: {key: "{{providerKey}}", amount: "{{amount}}"}}
    signature: {scheme: standard-webhooks, secret: "whsec_${WEBHOOK}"}
`

// TestWebhook: a webhook is filled as any operation is, and what proves its sender
// is a secret.
func TestWebhook(t *testing.T) {
	p, err := Parse("profile.yaml", []byte(webhooked), func(string) (string, bool) { return "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLASw", true })
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(p.Info().Capabilities, harness.CapWebhook) {
		t.Errorf("it is not offered: %v", p.Info().Capabilities)
	}
	if names := p.Info().Webhook; !slices.Equal(names, []string{"reference", "outcome", "providerKey", "amount"}) {
		t.Errorf("it is filled with %v", names)
	}
	got, err := p.Render(p.Webhooks.Payment.Operation, "", map[string]any{"reference": "cart 1", "outcome": "succeeded", "providerKey": "pk", "amount": int64(7)}, Changes{})
	if err != nil || got.Method != "POST" || got.Path != "/hooks/cart%201" || string(got.Body) != `{"type":"charge.succeeded","data":{"key":"pk","amount":7}}` {
		t.Errorf("rendered %s %s %s, %v", got.Method, got.Path, got.Body, err)
	}
	secrets := p.Secrets()
	if secrets["webhook:signature"] != "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLASw" || secrets["webhook"] != "hidden-provider-token" || secrets["env:WEBHOOK"] == "" {
		t.Errorf("what proves the sender is no secret: %d secrets", len(secrets))
	}
	if slices.Contains(parse(t, `
target: {name: x, url: "http://127.0.0.1:1"}
principals: {alice: {tenant: t1}}
checkout: {path: /checkout, body: {cartId: "{{cart}}"}}
`).Info().Capabilities, harness.CapWebhook) {
		t.Error("it is offered where it is not declared")
	}
}
