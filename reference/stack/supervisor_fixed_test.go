package stack

import (
	"maps"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// TestFixedAddresses: what the profile declares is what the instances call, for
// good, and whoever listens there decides.
func TestFixedAddresses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "profile.yaml")
	r := start(t, Options{Command: command(roleReal), ListenDependencies: true, WriteProfile: path})
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var p struct {
		Dependencies map[string]struct{ Listen, Upstream, Attach string }
	}
	if err := yaml.Unmarshal(text, &p); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	declared := map[string]string{}
	for name, d := range p.Dependencies {
		declared[name] = d.Listen
		if d.Attach != "" || d.Upstream != r.info().Upstreams[name] {
			t.Errorf("%s: %+v, with the upstreams %v", name, d, r.info().Upstreams)
		}
	}
	var g struct {
		Gateway struct{ Dependency struct{ Listen string } }
	}
	if err := yaml.Unmarshal(text, &g); err != nil {
		t.Fatal(err)
	}
	declared[catalog] = g.Gateway.Dependency.Listen
	if len(declared) != len(dependencyNames()) || !maps.Equal(declared, r.Listen) {
		t.Errorf("the profile declares %v, the stack says %v", declared, r.Listen)
	}

	if status, body := r.checkout("key-1", "cart-1"); status != http.StatusServiceUnavailable || !strings.Contains(string(body), "SERVICE_UNAVAILABLE") {
		t.Errorf("with nobody there: %d %s", status, body)
	}
	var refused refusal
	if status := r.call("POST", r.ControlURL+"/attach", attachRequest{map[string]string{payment: "http://127.0.0.1:1"}, 1000}, &refused); status != http.StatusConflict || !strings.Contains(refused.Error, "--listen-dependencies") {
		t.Errorf("an attachment was answered %d %q", status, refused.Error)
	}

	for name, d := range p.Dependencies {
		upstream, err := url.Parse(d.Upstream)
		if err != nil {
			t.Fatal(err)
		}
		l, err := net.Listen("tcp", d.Listen)
		if err != nil {
			t.Fatalf("the address of %s is not free: %v", name, err)
		}
		s := &http.Server{Handler: httputil.NewSingleHostReverseProxy(upstream)}
		go func() { _ = s.Serve(l) }()
		t.Cleanup(func() { _ = s.Close() })
	}
	t.Cleanup(http.DefaultClient.CloseIdleConnections) // those of the proxies
	if status, body := r.checkout("key-1", "cart-1"); status != http.StatusCreated {
		t.Errorf("with the run there, the same key: %d %s\n%s", status, body, r.log)
	}
	if got := r.effects("cart-1"); len(got) != 3 {
		t.Errorf("the ledger has %v", got)
	}
	r.call("POST", r.ControlURL+"/restart", map[string]string{"instance": "*"}, nil)
	if status, body := r.checkout("key-2", "cart-2"); status != http.StatusCreated {
		t.Errorf("after a restart: %d %s\n%s", status, body, r.log)
	}
}

func TestUnusedAddressesDiffer(t *testing.T) {
	seen := map[string]string{}
	for range 50 {
		addresses, err := Options{ListenDependencies: true}.fixed()
		if err != nil {
			t.Fatal(err)
		}
		clear(seen)
		for name, address := range addresses {
			if other := seen[address]; other != "" {
				t.Fatalf("%s and %s share %s", name, other, address)
			}
			seen[address] = name
		}
		if len(seen) != len(dependencyNames()) {
			t.Fatalf("there are %d addresses", len(seen))
		}
	}
	if addresses, err := (Options{}).fixed(); err != nil || addresses != nil {
		t.Errorf("where runs attach: %v, %v", addresses, err)
	}
}
