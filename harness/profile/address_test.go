package profile

import (
	"strings"
	"testing"
)

// Two keys that mean one address are refused, whatever they call it, with the
// line of the later key and the names of both.
func TestOneAddressUnderTwoNames(t *testing.T) {
	two := func(a, b string) string {
		return "dependencies:\n  inventory: {listen: \"" + a + "\", fake: provider}\n  payment: {listen: \"" + b + "\", fake: provider}"
	}
	sink := func(a, b string) string {
		return "dependencies:\n  payment: {listen: \"" + a + "\", fake: provider}\nsink: {listen: \"" + b + "\"}"
	}
	const payment, sinks = "6:13: dependencies.payment.listen is the address of dependencies.inventory.listen, too", "6:8: sink.listen is the address of dependencies.payment.listen, too"
	for _, row := range []struct{ name, text, says string }{
		{"the same text", two("127.0.0.1:9001", "127.0.0.1:9001"), payment},
		{"localhost is 127.0.0.1", two("127.0.0.1:9001", "localhost:9001"), payment + `: "localhost:9001" and "127.0.0.1:9001" are one port of this machine`},
		{"localhost is [::1]", two("[::1]:9001", "LOCALHOST:9001"), payment},
		{"no host is 127.0.0.1", two(":9001", "127.0.0.1:9001"), payment},
		{"no host and localhost", two(":9001", "localhost:9001"), payment},
		{"another spelling of the port", two("127.0.0.1:9001", "127.0.0.1:09001"), payment},
		{"another spelling of the address", two("127.0.0.1:9001", "[::ffff:127.0.0.1]:9001"), payment},
		{"every address", two("127.0.0.2:9001", "0.0.0.0:9001"), payment},
		{"every address of either kind", two("127.0.0.1:9001", "[::]:9001"), payment},
		{"a sink", sink("127.0.0.1:9003", "localhost:9003"), sinks},
		{"a sink, first", sink("localhost:9003", ":9003"), sinks},
		{"a gateway's dependency", two("127.0.0.1:9001", "127.0.0.1:9002") + "\ngateway: {path: \"/g/{{sku}}\", dependency: {listen: \"localhost:9002\"}}", "dependencies.payment.listen, too"},
		{"its own upstream", `dependencies: {payment: {listen: "127.0.0.1:9001", upstream: "http://localhost:9001/api"}}`, "4:52: dependencies.payment.upstream is the dependency's own listen address"},
		{"its own upstream, by the scheme's port", `dependencies: {payment: {listen: "127.0.0.1:80", upstream: "http://localhost/api"}}`, "dependencies.payment.upstream is the dependency's own listen address"},

		{"other ports", two("127.0.0.1:9001", "127.0.0.1:9002"), ""},
		{"[::1] is not 127.0.0.1", two("[::1]:9001", "127.0.0.1:9001"), ""},
		{"another loopback address", two("127.0.0.1:9001", "127.0.0.2:9001"), ""},
		{"any free port", two("127.0.0.1:0", "localhost:0"), ""},
		{"a sink of its own", sink("127.0.0.1:9003", "127.0.0.1:9004"), ""},
		{"an upstream on another port", `dependencies: {payment: {listen: "127.0.0.1:9001", upstream: "http://127.0.0.1:9002"}}`, ""},
		{"an attached one has no address", `dependencies: {a: {attach: "http://127.0.0.1:1"}, b: {attach: "http://127.0.0.1:1"}}`, ""},
	} {
		_, err := Parse("profile.yaml", []byte(`target: {name: x, url: "http://127.0.0.1:1"}`+linksHead+row.text), environment)
		switch {
		case row.says == "" && err != nil:
			t.Errorf("%s: %v", row.name, err)
		case row.says != "" && (err == nil || !strings.Contains(err.Error(), row.says)):
			t.Errorf("%s: %v, want %q", row.name, err, row.says)
		}
	}
}

// A third key at the same address is told once, and an address from the
// environment is not shown.
func TestOneAddressIsToldOnceAKey(t *testing.T) {
	text := "dependencies:\n" +
		"  a: {listen: \"127.0.0.1:9001\", fake: provider}\n" +
		"  b: {listen: \"localhost:9001\", fake: provider}\n" +
		"  c: {listen: \"${ADDRESS}\", fake: provider}"
	env := func(name string) (string, bool) { return "127.0.0.1:09001", name == "ADDRESS" }
	_, err := Parse("profile.yaml", []byte(`target: {name: x, url: "http://127.0.0.1:1"}`+linksHead+text), env)
	if err == nil || strings.Count(err.Error(), "is the address of") != 2 || strings.Contains(err.Error(), "09001") {
		t.Error(err)
	}
}

func TestTwoPrincipalsOfOneIdentity(t *testing.T) {
	const rest = "checkout: {path: /checkout, body: {cartId: \"{{cart}}\"}}\n"
	for _, row := range []struct{ name, principals, says string }{
		{"the same header", "  alice: {tenant: t1, header: {Authorization: Bearer x}}\n  bob: {tenant: t2, header: {Authorization: Bearer x}}\n", "4:3: principals.bob has the same header as principals.alice"},
		{"in another case", "  alice: {tenant: t1, header: {Authorization: Bearer x}}\n  bob: {tenant: t1, header: {authorization: Bearer x}}\n", "4:3: principals.bob has the same header as principals.alice"},
		{"one value in two variables", "  alice: {tenant: t1, header: {Authorization: \"Bearer ${HIDDEN}\"}}\n  bob: {tenant: t1, header: {Authorization: \"Bearer " + hidden + "\"}}\n", "principals.bob has the same header as principals.alice"},
		{"a role does not make another identity", "  alice: {tenant: t1, header: {Authorization: Bearer x}}\n  helpdesk: {tenant: t1, roles: [support], header: {Authorization: Bearer x}}\n", "principals.helpdesk has the same header as principals.alice"},
		{"no header at all", "  alice: {tenant: t1}\n  bob: {tenant: t1}\n", "principals.bob has the same header as principals.alice"},
		{"another header beside it", "  alice: {tenant: t1, header: {Authorization: Bearer x}}\n  bob: {tenant: t2, header: {Authorization: Bearer x, X-Tenant: t2}}\n", ""},
		{"other credentials", "  alice: {tenant: t1, header: {Authorization: Bearer x}}\n  bob: {tenant: t1, header: {Authorization: Bearer y}}\n", ""},
		{"only one has any", "  alice: {tenant: t1, header: {Authorization: Bearer x}}\n  bob: {tenant: t1}\n", ""},
	} {
		_, err := Parse("profile.yaml", []byte("target: {name: x, url: \"http://127.0.0.1:1\"}\nprincipals:\n"+row.principals+rest), environment)
		switch {
		case row.says == "" && err != nil:
			t.Errorf("%s: %v", row.name, err)
		case row.says != "" && (err == nil || !strings.Contains(err.Error(), row.says)):
			t.Errorf("%s: %v, want %q", row.name, err, row.says)
		case err != nil && (strings.Contains(err.Error(), hidden) || strings.Contains(err.Error(), "Bearer x")):
			t.Errorf("%s: the message shows credentials: %v", row.name, err)
		}
	}
}
