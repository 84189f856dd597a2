package profile

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

func parse(t *testing.T, text string) *Profile {
	t.Helper()
	p, err := Parse("profile.yaml", []byte(text), environment)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func parseFile(t *testing.T, file string) *Profile {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, string(data))
}

func TestContractExampleParses(t *testing.T) {
	p := parseFile(t, "testdata/good/contract.yaml")
	if p.Target.Version != "1.2" || !p.Target.Owned {
		t.Errorf("target: %+v", p.Target)
	}
	if got := p.Checkout.Method + " " + p.Status.Method; got != "POST GET" || !p.Checkout.Keyed {
		t.Errorf("methods %s, checkout keyed %t", got, p.Checkout.Keyed)
	}
	if p.Policy.Checkout.Retention.Std() != 24*time.Hour {
		t.Errorf("the retention that was left out is %v, not the required one", p.Policy.Checkout.Retention.Std())
	}
	if p.Sink.Listen != "127.0.0.1:9003" || p.Dependencies["orders"].Listen != "127.0.0.1:9006" {
		t.Errorf("an empty host was not read as loopback: %s, %s", p.Sink.Listen, p.Dependencies["orders"].Listen)
	}
	if !p.Links["queue"].ByControl || p.Links["store"].Proxy != "postgres" {
		t.Errorf("links: %+v", p.Links)
	}
	if p.Limits.Rate != 50 || p.Consumer.SignatureKey != "event-key-of-the-sink" {
		t.Errorf("limits %+v, consumer %+v", p.Limits, p.Consumer)
	}
	if got := p.Dependencies["payment"].Operations["query"].Method; got != "GET" {
		t.Errorf("a query defaults to %s", got)
	}
	if g := p.Gateway; g.SeedFallback != "call" || g.Write.Method != "POST" || g.Dependency.Name != "" {
		t.Errorf("gateway: %+v", g)
	}
}

func TestGoodProfilesParse(t *testing.T) {
	files, err := filepath.Glob("testdata/good/*.yaml")
	if err != nil || len(files) < 3 {
		t.Fatalf("%d good profiles, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { parseFile(t, file) })
	}
}

func TestDefaults(t *testing.T) {
	p := parseFile(t, "testdata/good/minimal.yaml")
	if p.Requirements != "srs" || p.Policy != harness.RequiredPolicy() || !reflect.DeepEqual(p.Dialect.Dialect, srs()) {
		t.Errorf("defaults: %q %+v %+v", p.Requirements, p.Policy, p.Dialect)
	}
	if len(p.SHA256) != 64 {
		t.Errorf("hash %q", p.SHA256)
	}
}

func TestInfo(t *testing.T) {
	info := parseFile(t, "testdata/good/contract.yaml").Info()
	want := []harness.Capability{"checkout", "decline", "status", "second-operation", "second-version", "second-principal",
		"second-tenant", "support-role", "effects", "dependencies", "process-control", "process-kill", "process-pause", "crash-points",
		"clock", "feature-flag", "store-link", "dependency", "gateway", "fallback-seed", "logs", "metrics", "storage-read", "outbox-probe"}
	if !slices.Equal(info.Capabilities, want) {
		t.Errorf("capabilities %v, want %v", info.Capabilities, want)
	}
	var names []string
	for _, p := range info.Principals {
		names = append(names, p.Name)
	}
	for _, l := range info.Links {
		names = append(names, l.Name)
		for _, o := range l.Operations {
			names = append(names, l.Name+"/"+o.Name)
		}
	}
	if got := strings.Join(names, " "); got != "alice bob carol support inventory inventory/reserve orders other payment payment/charge payment/query" {
		t.Errorf("order: %s", got)
	}
	if charge, query := info.Links[3].Operations[0], info.Links[3].Operations[1]; charge.Effect != "charge" || !query.Query {
		t.Errorf("operations %+v %+v", charge, query)
	}

	minimal := parseFile(t, "testdata/good/minimal.yaml").Info()
	if !slices.Equal(minimal.Capabilities, []harness.Capability{"checkout"}) {
		t.Errorf("a minimal profile declares %v", minimal.Capabilities)
	}
}

func TestSupportStaffIsNoSecondCustomer(t *testing.T) {
	info := parse(t, `
target: {name: x, url: "http://127.0.0.1:1"}
principals: {alice: {tenant: t1, header: {X-User: alice}}, helpdesk: {tenant: t1, roles: [support], header: {X-User: helpdesk}}, other: {tenant: t2, roles: [support], header: {X-User: other}}}
checkout: {path: /checkout}
`).Info()
	if !slices.Equal(info.Capabilities, []harness.Capability{"checkout", "support-role"}) {
		t.Errorf("capabilities %v", info.Capabilities)
	}
}

func TestSecrets(t *testing.T) {
	secrets := parse(t, `
target: {name: x, url: "http://127.0.0.1:1", version: "${HIDDEN}"}
principals:
  alice: {header: {authorization: "Bearer ${ALICE_TOKEN}", X-Tenant: t1}}
  bob: {header: {X-Api-Key: bob-secret}}
checkout: {path: /checkout}
consumer: {path: /e, signatureKey: sign-secret}
`).Secrets()
	want := map[string]string{"principal:alice": "alice-token", "principal:bob:X-Api-Key": "bob-secret",
		"consumer:signatureKey": "sign-secret", "env:HIDDEN": hidden}
	if !reflect.DeepEqual(secrets, want) {
		t.Errorf("got %v, want %v", secrets, want)
	}
}

func TestCheckReach(t *testing.T) {
	owned := parseFile(t, "testdata/good/contract.yaml")
	if err := owned.CheckReach(nil); err == nil || !strings.Contains(err.Error(), "--allow-host checkout.staging.example") || !strings.Contains(err.Error(), "owned: true") {
		t.Errorf("an owned host that is not allowed: %v", err)
	}
	if err := owned.CheckReach([]string{"other", "Checkout.staging.EXAMPLE"}); err != nil {
		t.Errorf("an owned and allowed host: %v", err)
	}
	owned.Target.Owned = false
	if err := owned.CheckReach([]string{"checkout.staging.example"}); err == nil {
		t.Error("a host that nobody owns was allowed")
	}
	if err := parseFile(t, "testdata/good/minimal.yaml").CheckReach(nil); err != nil {
		t.Errorf("loopback: %v", err)
	}
	near := parseFile(t, "testdata/good/minimal.yaml")
	near.Links = map[string]Link{"store": {Toxiproxy: "http://toxiproxy.example:8474", Proxy: "postgres"}}
	if err := near.CheckReach(nil); err == nil || !strings.Contains(err.Error(), "links.store.toxiproxy") {
		t.Errorf("a toxiproxy on another machine: %v", err)
	}
	for host, want := range map[string]bool{"localhost": true, "127.8.9.1": true, "::1": true, "0.0.0.0": false,
		"": false, "localhost.example": false, "::ffff:127.0.0.1": true, "127.0.0.1.example": false} {
		if isLoopback(host) != want {
			t.Errorf("isLoopback(%q) is %t", host, !want)
		}
	}
}

func TestLoad(t *testing.T) {
	if _, err := Load("testdata/nowhere.yaml"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	p, err := Load("testdata/good/minimal.yaml")
	if err != nil || p.Target.Name != "shop" {
		t.Errorf("%v, %v", p, err)
	}
	large := strings.Repeat("#", maxFile+1)
	if _, err := Parse("large.yaml", []byte(large), environment); err == nil || !strings.Contains(err.Error(), "larger than 64 KiB") {
		t.Errorf("large file: %v", err)
	}
}

func TestProblemIsFoundInTheJoin(t *testing.T) {
	_, err := Parse("p.yaml", []byte("target: {name: x, url: http://127.0.0.1:1}\nchekout: {}\n"), environment)
	var problem *Problem
	if !errors.As(err, &problem) || problem.Line != 2 || problem.Column != 1 || problem.Source != "chekout: {}" {
		t.Errorf("problem %+v", problem)
	}
}

func TestAttribute(t *testing.T) {
	tests := []struct{ path, body, want string }{
		{".reference", `{"reference":"r-1"}`, "r-1"},
		{".order.amount", `{"order":{"amount":9007199254740993}}`, "9007199254740993"},
		{".order.amount", `{"order":[1]}`, ""},
		{".reference", `{"reference":null}`, ""},
		{".reference", `reference=r-1`, ""},
		{".reference", ``, ""},
		{"", `{"":"x"}`, ""},
	}
	for _, test := range tests {
		if got := (Dependency{AttributePath: test.path}).Attribute([]byte(test.body)); got != test.want {
			t.Errorf("%s of %s is %q, want %q", test.path, test.body, got, test.want)
		}
	}
}

func TestCapabilitiesCoverTheConstants(t *testing.T) {
	var names []harness.Capability
	for _, c := range Capabilities() {
		if c.Key == "" || c.Meaning == "" || slices.Contains(names, c.Name) {
			t.Errorf("row %+v is incomplete or repeated", c)
		}
		names = append(names, c.Name)
	}
	for _, c := range []harness.Capability{harness.CapCheckout, harness.CapStatus, harness.CapSecondOperation, harness.CapSecondVersion,
		harness.CapSecondPrincipal, harness.CapSecondTenant, harness.CapSupportRole, harness.CapEffects,
		harness.CapDependencies, harness.CapProcessControl, harness.CapProcessKill, harness.CapProcessPause,
		harness.CapClock, harness.CapFeatureFlag, harness.CapDecline, harness.CapOtherRole, harness.CapStorage, harness.CapStoredRecord, harness.CapOutbox, harness.CapWebhook} {
		if !slices.Contains(names, c) {
			t.Errorf("%s is not listed", c)
		}
	}
}

func TestSuggest(t *testing.T) {
	known := []string{"checkout", "status", "url", "policy"}
	for unknown, want := range map[string]string{
		"chekout": `; did you mean "checkout"?`, "Checkout": `; did you mean "checkout"?`, "utl": `; did you mean "url"?`,
		"statsu": `; did you mean "status"?`, "x": "; known here: checkout, policy, status, url",
		strings.Repeat("s", 500): "; known here: checkout, policy, status, url",
	} {
		if got := suggest(unknown, known); got != want {
			t.Errorf("suggest(%.20q) is %q, want %q", unknown, got, want)
		}
	}
}
