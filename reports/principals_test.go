package reports

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

// TestAPrincipalThatDoesNotWorkIsShown in every report: it makes the run red,
// and nothing else may have to be said against it.
func TestAPrincipalThatDoesNotWorkIsShown(t *testing.T) {
	e := harness.Evidence{Run: harness.RunInfo{Control: harness.Passed("0, 1, 2"), Principals: []harness.PrincipalCheck{
		{Name: "bob", Reason: "it cannot authenticate"}, {Name: "carol", Works: true, Reason: "fine"}}},
		Clauses: []harness.ClauseResult{{ID: "A.1", Verdict: harness.Pass}}}
	if words, tone := standing(e); tone != harness.Inconclusive {
		t.Errorf("the run stands as %s (%s)", words, tone)
	}
	for name, render := range map[string]func(io.Writer, harness.Evidence) error{
		"summary":  func(w io.Writer, e harness.Evidence) error { return Summary(w, e, "", false) },
		"markdown": Markdown, "junit": JUnit, "html": func(w io.Writer, e harness.Evidence) error { return HTML(w, e, harness.OpenHistory) },
	} {
		var out bytes.Buffer
		if err := render(&out, e); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !strings.Contains(out.String(), "bob") || !strings.Contains(out.String(), "it cannot authenticate") {
			t.Errorf("%s does not name bob and why:\n%s", name, out.String())
		}
		if name == "junit" {
			var suites struct {
				Errors int `xml:"errors,attr"`
			}
			if err := xml.Unmarshal(out.Bytes(), &suites); err != nil || suites.Errors != 1 {
				t.Errorf("junit counts %d errors, want 1: %v", suites.Errors, err)
			}
		}
	}
}
