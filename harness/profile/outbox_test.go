package profile

import (
	"slices"
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

// TestOutbox: a way to read the outbox is a capability, and what it takes to read
// is secret.
func TestOutbox(t *testing.T) {
	for way, secret := range map[string]string{
		`{http: {url: "http://127.0.0.1:2/outbox?since={{since}}", header: {Authorization: "Bearer hidden-outbox-token"}}}`: "outbox",
		`{sql: {dsn: "postgres://u:p@h/n", query: "select id as position, event_id from outbox where id > {{since}}"}}`:     "outbox:dsn",
		`{command: [./outbox.sh, "{{since}}"]}`: "",
	} {
		p, err := Parse("profile.yaml", []byte(strings.Join([]string{
			`target: {name: x, url: "http://127.0.0.1:1"}`, `principals: {alice: {tenant: t1, header: {Authorization: "Bearer x"}}}`,
			`checkout: {path: /checkout, body: {cartId: "{{cart}}"}}`, `observe: {outbox: ` + way + `}`}, "\n")), environment)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(p.Info().Capabilities, harness.CapOutbox) {
			t.Errorf("%s offers %v", way, p.Info().Capabilities)
		}
		if secret != "" && p.Secrets()[secret] == "" {
			t.Errorf("%s: %s is no secret", way, secret)
		}
	}
}

// TestNoOutbox: a profile that reads something else offers none.
func TestNoOutbox(t *testing.T) {
	if slices.Contains(storing(t, `{files: [a]}`).Info().Capabilities, harness.CapOutbox) {
		t.Error("an outbox is offered that nobody declared")
	}
}
