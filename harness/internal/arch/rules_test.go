package arch

import (
	"slices"
	"strings"
)

// module is the path that our own imports begin with.
const module = "github.com/oncecheck/oncecheck"

// breach is one import that a rule forbids.
type breach struct {
	Rule int
	Do   string // what to do about it
}

// technologies names what each adapter may import from other modules, by
// prefix. An adapter that is not listed needs the standard library only.
var technologies = map[string][]string{
	"harness/known":     {"github.com/goccy/go-yaml"},
	"harness/mapping":   {"github.com/itchyny/gojq"},
	"harness/limits":    {"golang.org/x/time"},
	"harness/profile":   {"github.com/goccy/go-yaml", "github.com/invopop/jsonschema"},
	"harness/probe":     {"github.com/itchyny/gojq", "github.com/jackc/pgx", "modernc.org/sqlite"},
	"harness/storage":   {"github.com/itchyny/gojq", "github.com/jackc/pgx", "modernc.org/sqlite"},
	"harness/telemetry": {"github.com/prometheus/client_model", "github.com/prometheus/common"},
	"harness/toxiproxy": {"github.com/Shopify/toxiproxy", "github.com/rs/zerolog"}, // its constructor takes a zerolog logger
	"harness/peer":      {"golang.org/x/sys", "golang.org/x/net/dns"},              // sockets below net, and names that it keeps to itself
	"harness/webhook":   {"github.com/standard-webhooks/standard-webhooks"},
	"harness/wire":      {"golang.org/x/sys"},
	"harness/wiremock":  {"github.com/wiremock/go-wiremock"},
	"harness/stats":     {"gonum.org/v1/gonum"},
	"harness/containers": {
		"github.com/testcontainers/testcontainers-go", "github.com/docker/",
	},
}

// judge returns the breach of a non-test file in folder from, which is relative
// to the module's root with slashes, that imports path; nil if it may.
func judge(from, path string) *breach {
	to, ours := strings.CutPrefix(path, module+"/")
	if !ours {
		to = ""
	}
	if under(to, "cmd") {
		return &breach{6, "nothing imports cmd: move what is shared into a package of its own"}
	}
	if under(to, "reference/mutants") && !under(from, "reference/stack", "reference/mutants") {
		return &breach{4, "only reference/stack and tests may import mutants: ask the stack for what you need"}
	}
	switch top, _, _ := strings.Cut(from, "/"); top {
	case "harness":
		return judgeHarness(from, path, to)
	case "scenarios":
		return judgeScenarios(from, path, to)
	case "reference":
		return judgeReference(from, to)
	case "fakes":
		if to != "" && !under(to, from) && !slices.Contains([]string{"harness", "harness/wire"}, to) {
			return &breach{5, "fakes may import of ours only harness and harness/wire: a fake must not know who calls it"}
		}
	case "reports":
		if to != "" && !under(to, "reports") && !slices.Contains([]string{"harness", "harness/stats"}, to) {
			return &breach{5, "reports may import of ours only harness and harness/stats: a renderer gets evidence and cannot change it"}
		}
	case "cmd":
		if isTesting(path) || isGinkgo(path) {
			return &breach{6, "cmd must not import testing or Ginkgo, whose flags would become ours: use harness, rig and reports"}
		}
	}
	return nil
}

func judgeHarness(from, path, to string) *breach {
	switch from {
	case "harness":
		if to != "" || isTesting(path) || isForeign(path) {
			return &breach{1, "harness may import the standard library only, and not testing: define an interface here and implement it in an adapter"}
		}
	case "harness/check":
		if isForeign(path) && !slices.Contains([]string{"harness", "harness/stats"}, to) || doesIO(path) || isTesting(path) {
			return &breach{1, "harness/check may import harness, harness/stats and what does no I/O: record what the check needs in the history"}
		}
	case "harness/rig":
		if under(to, "scenarios", "reference", "reports") || under(to, "fakes") && to != "fakes/stub" || isTesting(path) || isGinkgo(path) {
			return &breach{2, "harness/rig may import harness, its adapters and fakes/stub: a target is known by its profile only"}
		}
	default:
		if to != "" && to != "harness" {
			return &breach{2, "an adapter may import of ours only harness: let harness/rig hand it the other as a value or an interface"}
		}
		if to == "" && isForeign(path) && !hasPrefix(path, technologies[from]) || isTesting(path) {
			return &breach{2, "an adapter may import only the technology it is named after: make another adapter, or add the module to technologies in harness/internal/arch with the reason"}
		}
	}
	return nil
}

func judgeScenarios(from, path, to string) *breach {
	allowed := []string{"harness", "harness/check", "harness/stats"}
	if from == "scenarios" {
		if isForeign(path) && !slices.Contains(allowed, to) || isTesting(path) {
			return &breach{3, "scenarios may import harness, harness/check and harness/stats only: it must run against a URL nobody here wrote"}
		}
		return nil
	}
	allowed = append(allowed, "harness/profile", "harness/rig", "reports")
	if to != "" && !slices.Contains(allowed, to) && !under(to, "scenarios") {
		return &breach{3, "a door may import scenarios, harness, check, stats, profile, rig and reports; never reference or fakes: a target enters by its profile"}
	}
	return nil
}

func judgeReference(from, to string) *breach {
	if under(from, "reference/stack") {
		if under(to, "harness", "scenarios") && to != "harness/shim" {
			return &breach{4, "reference/stack composes reference, mutants and fakes and writes a profile; of harness it may import only the shim behind which its client stands, and nothing of scenarios"}
		}
		return nil
	}
	if under(to, "harness", "scenarios", "fakes") {
		return &breach{4, "reference must not import harness, scenarios or fakes: what good looks like knows nothing of who judges it"}
	}
	return nil
}

// under reports whether path is one of the folders or lies in it.
func under(path string, folders ...string) bool {
	return slices.ContainsFunc(folders, func(f string) bool {
		return path == f || strings.HasPrefix(path, f+"/")
	})
}

func hasPrefix(path string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(path, p) })
}

// isForeign reports whether path lies outside the standard library, whose first
// element has no dot.
func isForeign(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return strings.Contains(first, ".")
}

func isTesting(path string) bool { return under(path, "testing") }

func isGinkgo(path string) bool {
	return under(path, "github.com/onsi/ginkgo", "github.com/onsi/gomega")
}

// doesIO reports whether a package of the standard library reaches outside the
// process.
func doesIO(path string) bool {
	return under(path, "os", "net", "io/fs", "io/ioutil", "database/sql", "syscall", "plugin", "log", "crypto/rand", "math/rand")
}
