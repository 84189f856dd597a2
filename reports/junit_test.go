package reports

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	readback "github.com/joshdk/go-junit"

	"github.com/oncecheck/oncecheck/harness"
)

func readJUnit(t *testing.T, e harness.Evidence) map[string]readback.Suite {
	t.Helper()
	suites, err := readback.Ingest([]byte(render(t, func(w io.Writer) error { return JUnit(w, e) })))
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]readback.Suite{}
	for _, s := range suites {
		byName[s.Name] = s
	}
	return byName
}

func TestJUnitIsReadBackWithEveryVerdictInItsPlace(t *testing.T) {
	suites := readJUnit(t, fixtureEvidence())
	got := map[string]string{}
	for _, s := range suites {
		for _, c := range s.Tests {
			got[c.Classname+" "+c.Name] = string(c.Status)
		}
	}
	for name, want := range map[string]string{
		"SRS-CHK-001.01 key required on every irreversible operation":        "skipped",
		"SRS-CHK-001.14 at-most-once-effect @ idempotency/concurrent-replay": "passed",
		"SRS-CHK-001.15 equal-replays @ idempotency/concurrent-replay":       "passed",
		"SRS-CHK-001.15 duplicates while in progress are refused | or wait":  "skipped",
		"SRS-CHK-001.44 at-most-once-effect @ payment/lost-answer":           "failed",
		"SRS-CHK-002.09 deadline-kept @ gateway/slow-inventory":              "error",
		"SRS-CHK-IF.02 error codes are the nine":                             "skipped",
		"I1 at-most-once-effect @ payment/lost-answer":                       "failed",
		"positive-control the probe sees zero, one and two effects":          "passed",
		"NFR-CHK-003 no duplicate effect in 10,000 scenarios":                "skipped",
		"SRS-CHK-002.03 answered-once-repeated @ client/cuts":                "passed",
		"SRS-RES-002.02 an event survives the death of the relay":            "skipped",
		"SRS-CHK-001.44 at-most-once-effect @ idempotency/concurrent-replay": "passed",
		"I3 A refused request has no effect, now or later":                   "skipped",
		"I2 equal-replays @ idempotency/concurrent-replay":                   "passed",
		"I1 at-most-once-effect @ idempotency/concurrent-replay":             "passed",
		"SRS-RES-002.01 an event is published at least once":                 "skipped",
	} {
		if got[name] != want {
			t.Errorf("%s: %q, want %q", name, got[name], want)
		}
		delete(got, name)
	}
	for name, status := range got {
		t.Errorf("unexpected case %s: %s", name, status)
	}
	card := suites["SRS-CHK-001"]
	for name, want := range map[string]string{"seed": "20260314", "dialect": "srs", "target": "checkout-staging", "run": "20260314T021509Z-0a1b2c3d"} {
		if card.Properties[name] != want {
			t.Errorf("property %s = %q, want %q", name, card.Properties[name], want)
		}
	}
	if fmt.Sprint(card.Totals.Tests, card.Totals.Failed, card.Totals.Skipped) != "6 1 2" {
		t.Errorf("totals of the card: %+v", card.Totals)
	}
}

func TestJUnitSurvivesTextThatIsNotXML(t *testing.T) {
	e := fixtureEvidence()
	e.Clauses[3].Checks[1].Observed = "]]><evil attr=\"\x00\x1b\">\uFFFF"
	e.Clauses[3].Checks[1].Reason = "a \"quoted\" <reason> & \x02"
	if s := readJUnit(t, e)["SRS-CHK-001"]; s.Totals.Failed != 1 {
		t.Errorf("failed = %d, want 1", s.Totals.Failed)
	}
}

// TestWhatNothingBoundsHasNoNumber: the largest number there is stands for "nothing
// bounds it", and no reader wants to see it.
func TestWhatNothingBoundsHasNoNumber(t *testing.T) {
	e := fixtureEvidence()
	e.NFRs = []harness.NFRResult{{ID: "NFR-CHK-002", Claim: "replays are fast", Threshold: 500, Unit: "ms", Confidence: 0.95, Lane: "nfr",
		N: 12, UpperBound: math.MaxFloat64, Verdict: harness.Inconclusive, Reason: "12 calls are too few"}}
	for name, write := range map[string]func(io.Writer) error{
		"junit":    func(w io.Writer) error { return JUnit(w, e) },
		"markdown": func(w io.Writer) error { return Markdown(w, e) },
		"summary":  func(w io.Writer) error { return Summary(w, e, "out", false) },
		"page":     func(w io.Writer) error { return HTML(w, e, nil) },
	} {
		text := render(t, write)
		if strings.Contains(text, "e+308") || strings.Contains(text, "e&#43;308") {
			t.Errorf("%s prints the number that stands for no bound", name)
		}
		if !strings.Contains(text, "12 measured (lane nfr), and nothing bounds what they show") || !strings.Contains(text, "12 calls are too few") {
			t.Errorf("%s does not say that nothing bounds it, or why", name)
		}
	}
}

func FuzzJUnitIsAlwaysXML(f *testing.F) {
	f.Add("plain")
	f.Add("]]>\x00\xff\u2028<&")
	f.Fuzz(func(t *testing.T, text string) {
		e := fixtureEvidence()
		c := &e.Clauses[3].Checks[1]
		c.Name, c.Reason, c.Expected, c.Repeat = text, text, text, text
		c.Witness = []harness.Witness{{Seq: 1, Text: text}}
		var b bytes.Buffer
		if err := JUnit(&b, e); err != nil {
			t.Fatal(err)
		}
		if _, err := readback.Ingest(b.Bytes()); err != nil {
			t.Fatalf("not readable: %v", err)
		}
	})
}
