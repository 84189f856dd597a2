package profile

import (
	"maps"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

// TestFeatures: a flag is for what its name says, or what it says itself; a single
// one of another name has always been the one for retries and fallback.
func TestFeatures(t *testing.T) {
	for name, row := range map[string]struct {
		flags map[string]Flag
		want  map[string]string
	}{
		"by name":              {map[string]Flag{"resilience": {}, "require-key": {}, "beta": {}}, map[string]string{harness.FlagResilience: "resilience", harness.FlagRequireKey: "require-key"}},
		"by its own word":      {map[string]Flag{"strict": {For: "require-key"}, "calm": {For: "resilience"}}, map[string]string{harness.FlagResilience: "calm", harness.FlagRequireKey: "strict"}},
		"a single one":         {map[string]Flag{"switch": {}}, map[string]string{harness.FlagResilience: "switch"}},
		"a single one says":    {map[string]Flag{"switch": {For: "require-key"}}, map[string]string{harness.FlagRequireKey: "switch"}},
		"two that say nothing": {map[string]Flag{"a": {}, "b": {}}, map[string]string{}},
	} {
		if got := (&Profile{Control: &Control{Flag: row.flags}}).Features(); !maps.Equal(got, row.want) {
			t.Errorf("%s: %v, want %v", name, got, row.want)
		}
	}
	if got := (&Profile{}).Features(); len(got) > 0 {
		t.Errorf("without control: %v", got)
	}
}
