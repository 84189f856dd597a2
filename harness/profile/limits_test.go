package profile

import (
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

func TestLimits(t *testing.T) {
	for name, row := range map[string]struct {
		url, limits string
		want        harness.Limits
	}{
		"loopback has none":                 {"http://127.0.0.1:1", "", harness.Limits{}},
		"nor has localhost":                 {"http://localhost:1", "", harness.Limits{}},
		"nor IPv6 loopback":                 {"http://[::1]:1", "", harness.Limits{}},
		"unless they are set":               {"http://127.0.0.1:1", "limits: {requests: 7}", harness.Limits{Requests: 7}},
		"another machine is spared":         {"http://192.0.2.1", "", harness.Limits{Rate: 20, Concurrency: 50, Requests: 5000}},
		"and spared where it says nothing":  {"http://192.0.2.1", "limits: {rate: 50/s}", harness.Limits{Rate: 50, Concurrency: 50, Requests: 5000}},
		"what is set counts":                {"http://192.0.2.1", "limits: {rate: 600/m, concurrency: 50, requests: 20000}", harness.Limits{Rate: 10, Concurrency: 50, Requests: 20000}},
		"a name that only looks like local": {"http://localhost.example", "", harness.Limits{Rate: 20, Concurrency: 50, Requests: 5000}},
	} {
		text := "target: {name: x, url: \"" + row.url + "\", owned: true}\nprincipals: {alice: {tenant: t1}}\ncheckout: {path: /checkout, body: {cartId: \"{{cart}}\"}}\n" + row.limits + "\n"
		p, err := Parse("profile.yaml", []byte(text), environment)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := p.Info().Limits; got != row.want {
			t.Errorf("%s: %+v, want %+v", name, got, row.want)
		}
	}
}

// Zero is a slip, not a wish for no limit: whoever wants none on another machine
// has to name a number.
func TestALimitOfZeroIsRefused(t *testing.T) {
	for _, limits := range []string{"{requests: 0}", "{concurrency: 0}", "{rate: 0/s}", "{requests: -1}"} {
		text := "target: {name: x, url: \"http://127.0.0.1:1\"}\nprincipals: {alice: {tenant: t1}}\ncheckout: {path: /checkout, body: {cartId: \"{{cart}}\"}}\nlimits: " + limits + "\n"
		if _, err := Parse("profile.yaml", []byte(text), environment); err == nil || !strings.Contains(err.Error(), "limits") {
			t.Errorf("limits: %s: %v", limits, err)
		}
	}
}
