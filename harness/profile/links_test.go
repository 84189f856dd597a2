package profile

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestAttributeOfWholeNumbersAndForms(t *testing.T) {
	for _, row := range []struct{ path, body, json, form string }{
		{".amount", `{"amount":1010.00}`, "1010", ""},
		{".amount", `{"amount":1.01e3}`, "1010", ""},
		{".amount", `{"amount":10.10}`, "10.10", ""},
		{".amount", `{"amount":1e999999999}`, "1e999999999", ""},
		{".amount", `{"amount":90071992547409930000.0}`, "90071992547409930000", ""},
		{".amount", `amount=1010&currency=eur`, "", "1010"},
		{".metadata.order", `metadata[order]=a%20b&order=c`, "", "a b"},
		{".a.b.c", `a%5Bb%5D%5Bc%5D=x`, "", "x"},
		{".a", `%zz`, "", ""},
		{"", `=x`, "", ""},
	} {
		d := Dependency{AttributePath: row.path}
		if json, form := d.Attribute([]byte(row.body)), d.FormAttribute([]byte(row.body)); json != row.json || form != row.form {
			t.Errorf("%s of %s: JSON %q and form %q, want %q and %q", row.path, row.body, json, form, row.json, row.form)
		}
	}
}

const linksHead = `
principals: {alice: {tenant: t1}}
checkout: {path: /checkout, body: {cartId: "{{cart}}"}}
`

func TestFilesOfAProfileLieBesideIt(t *testing.T) {
	p, err := Parse("some/where/profile.yaml", []byte(`target: {name: x, url: "https://127.0.0.1:1", ca: ca.pem}`+linksHead), environment)
	if err != nil {
		t.Fatal(err)
	}
	if got := p.File(p.Target.CA); got != filepath.Join("some", "where", "ca.pem") {
		t.Errorf("ca.pem is %s", got)
	}
	absolute := filepath.Join(t.TempDir(), "ca.pem")
	if got := p.File(absolute); got != absolute {
		t.Errorf("%s is %s", absolute, got)
	}
}

// TestTheLedgerOfOurFake stands for a source of effects only where there is one.
func TestTheLedgerOfOurFake(t *testing.T) {
	const target = `target: {name: x, url: "http://127.0.0.1:1"}` + linksHead + "effects: {perSuccess: {charge: 1}}\n"
	const fake = `dependencies: {payment: {listen: ":0", fake: provider}}`
	if p := parse(t, target+fake); !p.FakeLedger() || p.Dependencies["payment"].KeyHeader != "Idempotency-Key" {
		t.Errorf("%+v, %+v", p.Effects, p.Dependencies)
	}
	if p := parse(t, strings.Replace(target, "{perSuccess", "{command: [ledger], perSuccess", 1)+fake); p.FakeLedger() {
		t.Error("a command was overruled")
	}
	for text, says := range map[string]string{
		target: "needs exactly one of http, sql and command; it has none",
		target + `dependencies: {payment: {listen: ":0", upstream: "http://127.0.0.1:2"}}`:                   "needs exactly one of http, sql and command",
		strings.Replace(target, "effects: {perSuccess: {charge: 1}}", "effects: {perSuccess: {}}", 1) + fake: "perSuccess is required",
	} {
		if _, err := Parse("profile.yaml", []byte(text), environment); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
}

func TestLinksThatCannotBe(t *testing.T) {
	for text, says := range map[string]string{
		`dependencies: {payment: {listen: ":9001", upstream: "http://127.0.0.1:9001/api"}}`:          "dependencies.payment.upstream is the dependency's own listen address",
		`dependencies: {payment: {listen: ":9001", fake: provider}}` + "\nsink: {listen: \":9001\"}": "sink.listen is the address of dependencies.payment",
		`dependencies: {delivery: {listen: ":9001", fake: provider}}`:                                "the link between the target and the sink",
		`dependencies: {payment: {listen: ":9001", fake: provider, keyHeader: "Idempotency Key"}}`:   "keyHeader is no header name",
		`links: {store: control}`: "links.store is driven by control, but control.http is not there",
		`links: {store: {toxiproxy: "http://127.0.0.1:8474", proxy: db, lost: control}}`:                                             "links.store.lost is driven by control, but control.http is not there",
		`links: {store: {toxiproxy: "http://127.0.0.1:8474", proxy: db, lost: proxy}}` + "\ncontrol: {http: \"http://127.0.0.1:1\"}": "control",
		`dependencies: {payment: {listen: ":9001", fake: provider, attributeHeader: "X-Order:"}}`:                                    "attributeHeader is no header name",
	} {
		_, err := Parse("profile.yaml", []byte(`target: {name: x, url: "http://127.0.0.1:1"}`+linksHead+text), environment)
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", text, err, says)
		}
	}
	for text, loses := range map[string]bool{"lost: control": true, "": false} {
		p := parse(t, `target: {name: x, url: "http://127.0.0.1:1"}`+linksHead+`links: {store: {toxiproxy: "http://127.0.0.1:8474", proxy: db, `+text+"}}\ncontrol: {http: \"http://127.0.0.1:1\"}")
		if p.losesReservations() != loses || !p.disturbsStore() {
			t.Errorf("%q: %+v", text, p.Links)
		}
	}
	_, err := Parse("profile.yaml", []byte(`target: {name: x, url: "http://127.0.0.1:1", ca: ca.pem}`+linksHead), environment)
	if err == nil || !strings.Contains(err.Error(), "target.ca is for an https target") {
		t.Error(err)
	}
}
