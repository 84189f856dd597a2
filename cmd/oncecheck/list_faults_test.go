package main

import (
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

// An example that does not parse, or shows another cut, would teach nonsense.
func TestFaultExamplesSayWhatTheyShow(t *testing.T) {
	for _, listed := range faults() {
		f, err := harness.ParseFault(listed.Example)
		if err != nil {
			t.Errorf("%s: %v", listed.Name, err)
			continue
		}
		shown := string(f.Action.Name)
		if listed.Kind == "cut" {
			shown = string(f.Cut.Point)
		}
		if shown != listed.Name {
			t.Errorf("the example of %s shows %s", listed.Name, shown)
		}
	}
}

// The parser's own lists say which names there are.
func TestFaultsAreComplete(t *testing.T) {
	for _, wrong := range []string{"a:nowhere:reset", "a:nothing"} {
		_, err := harness.ParseFault(wrong)
		_, names, _ := strings.Cut(err.Error(), " is none of ")
		names, _, _ = strings.Cut(names, " (form")
		for _, name := range strings.Split(names, ", ") {
			name, _, _ = strings.Cut(name, "(")
			name, _, _ = strings.Cut(name, "@")
			found := false
			for _, listed := range faults() {
				found = found || listed.Name == name
			}
			if !found {
				t.Errorf("%s is missing from the list", name)
			}
		}
	}
}
