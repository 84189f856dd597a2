package profile

import (
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

const changedProfile = `
target: {name: shop, url: "http://127.0.0.1:1"}
principals:
  alice: {tenant: t1, header: {Authorization: Bearer one}, refreshed: {Authorization: Bearer two}}
checkout:
  path: /checkout
  fields: {cartVersion: v, currency: money, payment: token}
  body: {cart: "{{ cart }}", v: 1, money: EUR, sum: "{{amount}}", token: tok}
`

func changed(t *testing.T) *Profile {
	t.Helper()
	p, err := Parse("profile.yaml", []byte(changedProfile), func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestChanges(t *testing.T) {
	p := changed(t)
	vars := map[string]any{"cart": "c1", "amount": 7}
	for want, changes := range map[string]Changes{
		`{"cart":"c1","v":1,"money":"EUR","sum":7,"token":"tok"}`:                                            {},
		`{"cart":"c1","v":1,"money":null,"sum":7,"token":"tok"}`:                                             {Set: map[string]any{"money": nil}},
		`{"cart":"c1","v":1,"sum":7,"token":"tok"}`:                                                          {Unset: []string{"money"}},
		`{"token":"tok","sum":7,"money":"EUR","v":1,"cart":"c1"}`:                                            {Spelling: harness.SpeltReversed},
		`{"cart":"c1","v":1.0,"money":"EUR","sum":7.0,"token":"tok"}`:                                        {Spelling: harness.SpeltDecimal},
		`{"cart":"\u0063\u0031","v":1,"money":"EUR","sum":7,"token":"tok"}`:                                  {Spelling: harness.SpeltEscaped},
		"{\n  \"cart\": \"c1\",\n  \"v\": 1,\n  \"money\": \"EUR\",\n  \"sum\": 7,\n  \"token\": \"tok\"\n}": {Spelling: harness.SpeltSpaced},
		`{"cart":"c1","v":1,"money":"EUR","sum":7,"token":"tok"`:                                             {Spelling: harness.SpeltTruncated},
		`[{"cart":"c1","v":1,"money":"EUR","sum":7,"token":"tok"}]`:                                          {Spelling: harness.SpeltListed},
		"": {Spelling: harness.SpeltEmpty},
	} {
		r, err := p.Render(*p.Checkout, "", vars, changes)
		if err != nil || string(r.Body) != want {
			t.Errorf("%+v: %s, %v; want %s", changes, r.Body, err, want)
		}
	}
	for says, changes := range map[string]Changes{
		`no member "colour"`: {Unset: []string{"colour"}},
		`no spelling "loud"`: {Spelling: "loud"},
	} {
		if _, err := p.Render(*p.Checkout, "", vars, changes); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: %v, want %s", changes, err, says)
		}
	}
}

// TestFields: what the template shows need not be declared, and what a member
// means cannot be declared of one that is not there.
func TestFields(t *testing.T) {
	info := changed(t).Info()
	for field, want := range map[harness.Field]string{harness.FieldCart: "cart", harness.FieldAmount: "sum", harness.FieldVersion: "v", harness.FieldCurrency: "money", harness.FieldPayment: "token"} {
		if got := info.Fields[field]; got != want {
			t.Errorf("%s is %q, want %q", field, got, want)
		}
	}
	if len(harness.Needs{"request-fields", "refreshed-credential"}.Missing(info.Capabilities)) > 0 || !info.Principals[0].Refreshed {
		t.Errorf("offered: %v", info.Capabilities)
	}
	for says, broken := range map[string]string{
		"checkout.fields.payment is":               strings.Replace(changedProfile, "payment: token", "payment: tokken", 1),
		"checkout.fields.colour is none of":        strings.Replace(changedProfile, "currency: money", "colour: money", 1),
		"principals.alice.refreshed is the same":   strings.Replace(changedProfile, "Bearer two", "Bearer one", 1),
		"operations.x.fields is for checkout only": changedProfile + "operations: {x: {path: /x, keyed: true, fields: {cart: c}, body: {c: 1}}}\n",
		"refused.old is none of":                   changedProfile + "refused: {old: {Authorization: Bearer x}}\n",
	} {
		if _, err := Parse("profile.yaml", []byte(broken), func(string) (string, bool) { return "", false }); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("want %q, got %v", says, err)
		}
	}
}
