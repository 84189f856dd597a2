package reports

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

// TestWhatDoesNotWorkIsShown in every report: a principal or a claim that does not
// makes the run red, and nothing else may have to be said against it.
func TestWhatDoesNotWorkIsShown(t *testing.T) {
	bob := []harness.Tried{{Name: "bob", Reason: "it cannot authenticate"}, {Name: "carol", Works: true, Reason: "fine"}}
	pause := []harness.Tried{{Name: "process-pause", Reason: "control.commands.pause: it went on"}, {Name: "process-kill", Works: true, Reason: "fine"}}
	shown(t, harness.RunInfo{Control: harness.Passed("0, 1, 2"), Principals: bob}, "bob", "it cannot authenticate")
	shown(t, harness.RunInfo{Control: harness.Passed("0, 1, 2"), Claims: pause}, "process-pause", "control.commands.pause: it went on")
}

func shown(t *testing.T, run harness.RunInfo, who, why string) {
	t.Helper()
	e := harness.Evidence{Run: run,
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
		if !strings.Contains(out.String(), who) || !strings.Contains(out.String(), why) {
			t.Errorf("%s does not name %s and why:\n%s", name, who, out.String())
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
