package profile

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestRender(t *testing.T) {
	p := parse(t, `
target: {name: x, url: "http://127.0.0.1:1"}
principals: {alice: {tenant: t1}}
checkout:
  path: /checkout
  header: {X-Cart: "cart {{cart}}"}
  body: {zeta: "{{cart}}", amount: "{{ amount }}", note: "cart {{cart}} for {{amount}}", price: 12.50, big: 18446744073709551615, list: [1, "{{amount}}", null, true], nested: {b: 1, a: "<&>"}, token: tok_ok}
  variants: {declined: {token: "no-{{cart}}", extra: 1}}
status: {path: "/checkout/{{requestId}}?for={{requestId}}"}
`)
	vars := map[string]any{"cart": "cart-1", "amount": int64(1001), "requestId": "a/b c&d"}
	tests := []struct {
		name, variant string
		op            Operation
		set           map[string]any
		path, body    string
	}{
		{"plain", "", *p.Checkout, nil, "/checkout",
			`{"zeta":"cart-1","amount":1001,"note":"cart cart-1 for 1001","price":12.50,"big":18446744073709551615,"list":[1,1001,null,true],"nested":{"b":1,"a":"<&>"},"token":"tok_ok"}`},
		{"variant", "declined", *p.Checkout, nil, "/checkout",
			`{"zeta":"cart-1","amount":1001,"note":"cart cart-1 for 1001","price":12.50,"big":18446744073709551615,"list":[1,1001,null,true],"nested":{"b":1,"a":"<&>"},"token":"no-cart-1","extra":1}`},
		{"set", "", *p.Checkout, map[string]any{"amount": 7, "note": "{{cart}}", "price": nil, "new": []int{1}}, "/checkout",
			`{"zeta":"cart-1","amount":7,"note":"{{cart}}","price":null,"big":18446744073709551615,"list":[1,1001,null,true],"nested":{"b":1,"a":"<&>"},"token":"tok_ok","new":[1]}`},
		{"path", "", *p.Status, nil, "/checkout/a%2Fb%20c&d?for=a%2Fb+c%26d", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r, err := p.Render(test.op, test.variant, vars, Changes{Set: test.set})
			if err != nil {
				t.Fatal(err)
			}
			if r.Path != test.path || string(r.Body) != test.body {
				t.Errorf("got  %s %s\nwant %s %s", r.Path, r.Body, test.path, test.body)
			}
			if _, typed := r.Header["Content-Type"]; typed != (test.body != "") {
				t.Errorf("headers %v", r.Header)
			}
		})
	}
	r, err := p.Render(*p.Checkout, "", vars, Changes{})
	if err != nil || r.Header["X-Cart"] != "cart cart-1" || r.Method != "POST" {
		t.Errorf("header %v, method %s, %v", r.Header, r.Method, err)
	}
}

func TestRenderRefuses(t *testing.T) {
	p := parse(t, `
target: {name: x, url: "http://127.0.0.1:1"}
principals: {alice: {tenant: t1}}
checkout: {path: /checkout, body: {cart: "{{cart}}"}, header: {X-Cart: "{{cart}}"}, variants: {declined: {a: 1}}}
status: {path: "/checkout/{{requestId}}"}
operations: {plain: {path: /list, method: POST, body: ["{{cart}}"]}}
`)
	tests := []struct {
		name, variant, want string
		op                  Operation
		vars, set           map[string]any
	}{
		{"unknown name", "", `nothing is known for {{cart}}; did you mean "cars"?`, *p.Checkout, map[string]any{"cars": 1}, nil},
		{"unknown variant", "decline", `there is no variant "decline"; did you mean "declined"?`, *p.Checkout, map[string]any{"cart": "c"}, nil},
		{"empty path value", "", `{{requestId}} is empty`, *p.Status, map[string]any{"requestId": ""}, nil},
		{"broken header", "", "breaks the line", *p.Checkout, map[string]any{"cart": "a\r\nX: 1"}, nil},
		{"set in a list", "", "it is no object", p.Operations["plain"], map[string]any{"cart": "c"}, map[string]any{"a": 1}},
		{"not JSON", "", "unsupported type", *p.Checkout, map[string]any{"cart": "c"}, map[string]any{"a": func() {}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, err := p.Render(test.op, test.variant, test.vars, Changes{Set: test.set}); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

// Whatever a value is, it comes back out of the rendered body with its type.
func TestRenderKeepsValues(t *testing.T) {
	p := parse(t, "checkout: {path: /c, body: {a: \"{{cart}}\", b: \"x{{cart}}y\"}}\ntarget: {name: x, url: \"http://127.0.0.1:1\"}\nprincipals: {alice: {tenant: t1}}\n")
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.String().Draw(t, "value")
		r, err := p.Render(*p.Checkout, "", map[string]any{"cart": value}, Changes{})
		if err != nil {
			t.Fatal(err)
		}
		var body struct{ A, B string }
		if err := json.Unmarshal(r.Body, &body); err != nil || body.A != value || body.B != "x"+value+"y" {
			t.Fatalf("%q came back as %+v, %v", value, body, err)
		}
	})
}
