package arch

import "testing"

// The rules are tried on imports that nobody wrote, so that a rule that cannot
// fail any more is noticed.
func TestRulesForbid(t *testing.T) {
	for _, c := range []struct {
		from, imports string
		rule          int // 0: allowed
	}{
		{"harness", "time", 0},
		{"harness", "testing", 1},
		{"harness", "testing/synctest", 1},
		{"harness", "github.com/onsi/ginkgo/v2", 1},
		{"harness", "github.com/goccy/go-yaml", 1},
		{"harness", module + "/harness/check", 1},
		{"harness/check", module + "/harness", 0},
		{"harness/check", module + "/harness/stats", 0},
		{"harness/check", "slices", 0},
		{"harness/check", "os", 1},
		{"harness/check", "net/http", 1},
		{"harness/check", "pgregory.net/rapid", 1},
		{"harness/check", module + "/harness/wire", 1},
		{"harness/wire", module + "/harness", 0},
		{"harness/wire", "golang.org/x/sys/unix", 0},
		{"harness/wire", module + "/harness/probe", 2},
		{"harness/wire", module + "/reports", 2},
		{"harness/wire", "github.com/Shopify/toxiproxy/v2", 2},
		{"harness/wiremock", module + "/fakes/stub", 2},
		{"harness/newadapter", "example.com/new", 2},
		{"harness/mapping", "github.com/itchyny/gojq", 0},
		{"harness/mapping", module + "/harness/profile", 2},
		{"harness/caller", "github.com/itchyny/gojq", 2},
		{"harness/probe", "testing", 2},
		{"harness/rig", module + "/harness/wire", 0},
		{"harness/rig", module + "/fakes/stub", 0},
		{"harness/rig", module + "/fakes/provider", 2},
		{"harness/rig", module + "/reference/stack", 2},
		{"harness/rig", module + "/scenarios", 2},
		{"scenarios", module + "/harness/check", 0},
		{"scenarios", "embed", 0},
		{"scenarios", module + "/harness/rig", 3},
		{"scenarios", module + "/harness/wire", 3},
		{"scenarios", module + "/reference/client", 3},
		{"scenarios", module + "/fakes/provider", 3},
		{"scenarios", "testing", 3},
		{"scenarios", "github.com/onsi/gomega", 3},
		{"scenarios/suite", "github.com/onsi/ginkgo/v2", 0},
		{"scenarios/suite", module + "/scenarios", 0},
		{"scenarios/suite", module + "/harness/rig", 0},
		{"scenarios/suite", module + "/reports", 0},
		{"scenarios/conform", "testing", 0},
		{"scenarios/conform", module + "/fakes/provider", 3},
		{"scenarios/suite", module + "/reference/stack", 3},
		{"scenarios/suite", module + "/harness/wire", 3},
		{"reference/checkout", module + "/reference/client", 0},
		{"reference/checkout", module + "/harness", 4},
		{"reference/checkout", module + "/scenarios", 4},
		{"reference/checkout", module + "/fakes/provider", 4},
		{"reference/checkout", module + "/reference/mutants", 4},
		{"reference/mutants", module + "/reference/checkout", 0},
		{"reference/stack", module + "/reference/mutants", 0},
		{"reference/stack", module + "/fakes/provider", 0},
		{"reference/stack", module + "/harness/profile", 4},
		{"reference/stack", module + "/harness/shim", 0},
		{"reference/client", module + "/harness/shim", 4},
		{"cmd/oncecheck", module + "/reference/mutants", 4},
		{"fakes", module + "/fakes/provider", 0},
		{"fakes", module + "/harness/rig", 5},
		{"fakes/provider", module + "/harness/wire", 0},
		{"fakes/provider", module + "/fakes/provider/ledger", 0},
		{"fakes/provider", module + "/fakes/stub", 5},
		{"fakes/provider", module + "/reference/auth", 5},
		{"fakes/stub", module + "/harness/probe", 5},
		{"reports", module + "/harness", 0},
		{"reports", module + "/harness/stats", 0},
		{"reports", module + "/harness/check", 5},
		{"reports", module + "/scenarios", 5},
		{"cmd/oncecheck", module + "/reference/stack", 0},
		{"cmd/oncecheck", "testing", 6},
		{"cmd/oncecheck", "github.com/onsi/ginkgo/v2", 6},
		{"cmd/oncecheck", "github.com/onsi/gomega", 6},
		{"reports", module + "/cmd/oncecheck", 6},
		{"harness/internal/arch", module + "/cmd/oncecheck", 6},
	} {
		got := 0
		if b := judge(c.from, c.imports); b != nil {
			got = b.Rule
		}
		if got != c.rule {
			t.Errorf("%s imports %s: rule %d, want %d", c.from, c.imports, got, c.rule)
		}
	}
}
