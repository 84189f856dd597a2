package scenarios

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

func TestNext(t *testing.T) {
	for value, want := range map[string]string{`1`: "2", `"tok_ok"`: "tok_ok2", `"tok_2"`: "tok_23", `1.5`: "", `null`: "", `{}`: ""} {
		got, err := next(json.RawMessage(value))
		if (want == "") != (err != nil) || err == nil && fmt.Sprint(got) != want {
			t.Errorf("after %s comes %v, %v; want %q", value, got, err, want)
		}
	}
}

// TestSeparatorsAreInNoPart: a key that spells out a scope can be read in one way
// only, whatever the parts are called.
func TestSeparatorsAreInNoPart(t *testing.T) {
	seen := map[string]bool{}
	for _, sep := range separators() {
		if len(sep.text) != 1 || strings.ContainsAny(sep.name, ":|/,._#") || seen[sep.text] {
			t.Errorf("%+v", sep)
		}
		seen[sep.text] = true
		if strings.Contains(harness.OpCheckout, sep.text) {
			t.Errorf("%s is in the name of the operation", sep.name)
		}
	}
}
