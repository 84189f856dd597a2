package suite

import (
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/scenarios/door"
)

// labels returns the clauses that a scenario decides, the capabilities that it
// and its checks need, each alternative by itself, and the lane.
func labels(s harness.Scenario) ginkgo.Labels {
	needs := slices.Clone(s.Needs)
	for _, c := range s.Checks {
		needs = append(needs, c.Needs...)
	}
	names := ginkgo.Labels{door.Lane}
	for _, id := range s.Clauses() {
		names = append(names, string(id))
	}
	for _, n := range needs {
		names = append(names, strings.Split(n, "|")...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
