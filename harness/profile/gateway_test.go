package profile

import (
	"slices"
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// TestOnlyAClient: a client behind a shim is a target of its own, and what it
// can do beyond being called only its shim can tell.
func TestOnlyAClient(t *testing.T) {
	p := parseFile(t, "testdata/good/client.yaml")
	if got := p.Info().Capabilities; !slices.Equal(got, []harness.Capability{harness.CapDependency}) {
		t.Errorf("capabilities %v", got)
	}
	if err := p.CheckReach(nil); err != nil {
		t.Errorf("its reach: %v", err)
	}
	if l := p.Info().Limits; l != (harness.Limits{}) {
		t.Errorf("limits of a target on another machine: %+v", l)
	}
}

// TestClientPolicy: the profile goes before what the client says, field by field.
func TestClientPolicy(t *testing.T) {
	s := func(n int) harness.Duration { return harness.Duration(time.Duration(n) * time.Second) }
	declared := harness.ClientPolicy{Connect: s(1), Read: s(9), Total: s(20), Retries: 5}
	got := parseFile(t, "testdata/good/client.yaml").ClientPolicy(declared)
	if want := (harness.ClientPolicy{Connect: s(1), Read: s(3), Total: s(20), Retries: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := parseFile(t, "testdata/good/minimal.yaml").ClientPolicy(declared); got != declared {
		t.Errorf("a profile that says nothing of it made %+v", got)
	}
}

// TestGatewayWithoutCheckout: a gateway is a target of its own, too.
func TestGatewayWithoutCheckout(t *testing.T) {
	p := parseFile(t, "testdata/good/gateway.yaml")
	want := []harness.Capability{harness.CapDependency, harness.CapGateway, harness.CapFallbackSeed}
	if got := p.Info().Capabilities; !slices.Equal(got, want) {
		t.Errorf("capabilities %v, want %v", got, want)
	}
	if name := p.Gateway.Dependency.Name; name != "catalog" {
		t.Errorf("the supervisor is asked for %q", name)
	}
}
