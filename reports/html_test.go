package reports

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

func htmlOf(t *testing.T, e harness.Evidence) string {
	t.Helper()
	return render(t, func(w io.Writer) error { return HTML(w, e, openFixture) })
}

func TestPageNamesEverything(t *testing.T) {
	e := fixtureEvidence()
	page := htmlOf(t, e)
	for _, c := range e.Clauses {
		if !strings.Contains(page, `id="`+anchor("c-", string(c.ID))+`"`) || !strings.Contains(page, ">"+string(c.ID)+"<") {
			t.Errorf("clause %s has no row", c.ID)
		}
	}
	for _, s := range e.Scenarios {
		if !strings.Contains(page, `id="`+anchor("s-", s.ID)+`"`) {
			t.Errorf("scenario %s has no section", s.ID)
		}
	}
	for _, text := range []string{"2 of 9 clauses proven, 1 failed, 4 not verified, 1 inconclusive, 1 not applicable; broken: I1.",
		"20260314T021509Z-0a1b2c3d", "the probe saw 0 effects before", "1 charge for key", "2 charges: ch-1, ch-2", e.Run.Repeat} {
		if !strings.Contains(page, text) {
			t.Errorf("the page does not say %q", text)
		}
	}
}

func TestPageNeedsNoNetwork(t *testing.T) {
	page := htmlOf(t, fixtureEvidence())
	if found := regexp.MustCompile(`(?i)(src|href|url|import|action)\s*[=(]\s*["']?\s*(https?:|//)[^"')\s]*`).FindString(page); found != "" {
		t.Errorf("the page refers to %s", found)
	}
	if !strings.Contains(page, "default-src &#39;none&#39;") {
		t.Error("the page has no content security policy")
	}
}

func TestPageLinksLead(t *testing.T) {
	page := htmlOf(t, fixtureEvidence())
	ids := map[string]int{}
	for _, m := range regexp.MustCompile(`\sid="([^"]+)"`).FindAllStringSubmatch(page, -1) {
		ids[m[1]]++
	}
	for id, n := range ids {
		if n > 1 {
			t.Errorf("id %s is given %d times", id, n)
		}
	}
	for _, m := range regexp.MustCompile(`href="#([^"]+)"`).FindAllStringSubmatch(page, -1) {
		if ids[m[1]] == 0 {
			t.Errorf("link to #%s leads nowhere", m[1])
		}
	}
}

func TestPageEscapesTheTarget(t *testing.T) {
	e := fixtureEvidence()
	evil := `"><script>alert(1)</script><img src=x onerror=alert(2)>`
	e.Target.Name, e.Run.Repeat, e.Clauses[3].Title, e.Clauses[3].Checks[1].Observed = evil, evil, evil, evil
	e.Clauses[3].Checks[1].Witness[0].Text, e.Scenarios[1].Faults[0].Fault, e.Scenarios[1].Reason = evil, evil, evil
	e.Clauses = append(e.Clauses, harness.ClauseResult{ID: harness.ClauseID(evil), Verdict: harness.Fail, Reason: evil})
	page := htmlOf(t, e)
	if n := strings.Count(page, "<script>"); n != 1 {
		t.Errorf("the page has %d scripts, want its own only", n)
	}
	if strings.Contains(page, "<img") {
		t.Error("text of the target became an element")
	}
}

func TestPageWithoutHistoriesOrFindingsStillStands(t *testing.T) {
	e := fixtureEvidence()
	missing := func(path string) (*harness.History, error) { return nil, fmt.Errorf("open %s: gone", path) }
	page := render(t, func(w io.Writer) error { return HTML(w, e, missing) })
	if !strings.Contains(page, "open history/payment.lost-answer.jsonl: gone") {
		t.Error("a missing history is not named")
	}
	render(t, func(w io.Writer) error { return HTML(w, harness.Evidence{}, nil) })
}

func TestPicturesAreXMLAndSmall(t *testing.T) {
	e := fixtureEvidence()
	for _, v := range scenarioViews(e, openFixture) {
		for _, p := range v.Pictures {
			if err := wellFormed(string(p.SVG)); err != nil {
				t.Errorf("%s %s: %v", v.ID, p.Label, err)
			}
			if len(p.SVG) > 40_000 {
				t.Errorf("%s %s: %d bytes", v.ID, p.Label, len(p.SVG))
			}
		}
	}
}

// TestPageStaysSmall renders thirty scenarios with twelve crowded cases each.
func TestPageStaysSmall(t *testing.T) {
	source := crowd()
	full := &tape{scenario: source.scenario}
	for i := range maxStories + 3 {
		for _, e := range source.events {
			if e.Case != "" {
				e.Case = full.caseID(fmt.Sprintf("case-%d", i))
			}
			e.Seq = int64(len(full.events) + 1)
			full.events = append(full.events, e)
		}
	}
	e := fixtureEvidence()
	e.Scenarios = nil
	for i := range 30 {
		e.Scenarios = append(e.Scenarios, harness.ScenarioResult{ID: fmt.Sprintf("load/%d", i), History: "history/x.jsonl"})
	}
	open := func(string) (*harness.History, error) { return full.history(), nil }
	page := render(t, func(w io.Writer) error { return HTML(w, e, open) })
	if len(page) > 2_500_000 {
		t.Errorf("the page has %d bytes", len(page))
	}
	if !strings.Contains(page, "3 further cases not drawn") || !strings.Contains(page, "Not drawn, to keep this page small") {
		t.Error("the page does not say what it left out")
	}
	if n := strings.Count(page, `<details class="case" open>`); n != 30 {
		t.Errorf("%d scenarios have a first picture, want 30", n)
	}
}

func wellFormed(text string) error {
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}
