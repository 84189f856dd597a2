package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// filterState is what a reader sees of the filter and its rows.
type filterState struct {
	Rows    []string // ids of the clauses that can be seen
	Empty   int      // cards that can be seen and show no row
	Pressed []string // verdicts of the pressed buttons
	Said    string   // by the live region
	Live    bool
}

const readFilter = `(() => {
	const all = s => [...document.querySelectorAll(s)], seen = e => e.checkVisibility();
	const said = document.getElementById('shown');
	return {
		Rows: all('.clause').filter(seen).map(e => e.querySelector('summary code').textContent),
		Empty: all('.card[open]').filter(seen).filter(c => ![...c.querySelectorAll('.clause')].some(seen)).length,
		Pressed: all('#filter button[aria-pressed=true]').map(e => e.dataset.verdict),
		Said: said.textContent,
		Live: said.getAttribute('role') === 'status' && seen(said),
	};
})()`

// setWords types into the text filter as a reader would, over what is there.
func (p *tab) setWords(words string) {
	p.t.Helper()
	p.run("empty the filter", chromedp.Focus(chromedp.ID("words")), chromedp.KeyEvent("a", chromedp.KeyModifiers(kb.ModifierCtrl)), chromedp.KeyEvent(kb.Backspace))
	if words != "" {
		p.run("type "+words, chromedp.KeyEvent(words))
	}
	p.until(fmt.Sprintf("document.getElementById('words').value === %q", words))
}

func verdictButton(verdict string) chromedp.CSS {
	return chromedp.CSS(fmt.Sprintf(`#filter button[data-verdict="%s"]`, verdict))
}

func testFilter(p *tab) {
	// Two clauses of a card that nobody proved are folded until they are asked for.
	unfiltered := []string{"CHK-001.01", "CHK-001.14", "CHK-001.15", "CHK-001.44", "CHK-002.03", "CHK-002.09", "CHK-IF.02"}
	for _, c := range []struct {
		verdict, words string
		rows           []string
	}{
		{"", "", unfiltered},
		{"pass", "", []string{"CHK-001.14", "CHK-002.03"}},
		{"fail", "", []string{"CHK-001.44"}},
		{"inconclusive", "", []string{"CHK-002.09"}},
		{"not-verified", "", []string{"CHK-001.01", "CHK-001.15", "RES-002.01", "RES-002.02"}},
		{"not-applicable", "", []string{"CHK-IF.02"}},
		{"", "LOST answer", []string{"CHK-001.44"}},                                   // a clause's title, whatever the case
		{"", "srs-res", []string{"RES-002.01", "RES-002.02"}},                         // ids, of a folded card
		{"", "equal-replays", []string{"CHK-001.15"}},                                 // the name of a check
		{"", "concurrent-replay", []string{"CHK-001.14", "CHK-001.15", "CHK-001.44"}}, // a scenario
		{"", "<b>state</b>", []string{"CHK-002.03"}},                                  // what a target wrote
		{"", "provider offer", nil},                                                   // no clause has both words
		{"not-verified", "relay", []string{"RES-002.02"}},
		{"fail", "relay", nil},
		{"", "", unfiltered},
	} {
		p.run("press "+c.verdict, chromedp.Click(verdictButton(c.verdict)))
		p.setWords(c.words)
		got, label := ask[filterState](p, readFilter), fmt.Sprintf("verdict %q, words %q", c.verdict, c.words)
		want := slices.Clone(c.rows)
		for i := range want {
			want[i] = "SRS-" + want[i]
		}
		slices.Sort(got.Rows)
		if !slices.Equal(got.Rows, want) {
			p.t.Errorf("%s: shows %q, want %q", label, got.Rows, want)
		}
		if got.Empty > 0 {
			p.t.Errorf("%s: shows %d empty cards", label, got.Empty)
		}
		if !slices.Equal(got.Pressed, []string{c.verdict}) {
			p.t.Errorf("%s: pressed are %q", label, got.Pressed)
		}
		said := ""
		if c.verdict+c.words != "" {
			said = fmt.Sprintf("%d of 9 clauses shown", len(want))
		}
		if got.Said != said || !got.Live {
			p.t.Errorf("%s: says %q (live region: %v), want %q", label, got.Said, got.Live, said)
		}
	}
}

// testLinkLiftsFilter follows a link to a clause that the filter hides.
func testLinkLiftsFilter(p *tab) {
	p.run("hide all failures", chromedp.Click(verdictButton("pass")))
	p.setWords("cut")
	p.run("follow the link", chromedp.Click(chromedp.CSS(`#failures a[href="#c-SRS-CHK-001.44"]`)))
	p.until(`document.getElementById('c-SRS-CHK-001.44').open && location.hash === '#c-SRS-CHK-001.44'`)
	got := ask[filterState](p, readFilter)
	if !slices.Contains(got.Rows, "SRS-CHK-001.44") || !slices.Equal(got.Pressed, []string{""}) || got.Said != "" {
		p.t.Errorf("after the link the filter is %+v", got)
	}
	if text := ask[string](p, "document.getElementById('c-SRS-CHK-001.44').innerText"); !strings.Contains(text, "observed 2") {
		p.t.Errorf("the clause is not unfolded, it shows %q", text)
	}
}
