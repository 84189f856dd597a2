package reports

import (
	"slices"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func (p *tab) press(keys string) {
	p.t.Helper()
	p.run("press a key", chromedp.KeyEvent(keys))
}

func testSkipLink(p *tab) {
	p.press(kb.Tab)
	const look = `(() => { const e = document.activeElement, r = e.getBoundingClientRect();
		return { Skip: e.matches('a.skip'), Visible: r.top >= 0 && r.left >= 0 && r.bottom <= innerHeight && r.right <= innerWidth }; })()`
	s := ask[struct{ Skip, Visible bool }](p, look)
	if !s.Skip || !s.Visible {
		p.t.Fatalf("the first stop is the skip link: %v, in sight: %v", s.Skip, s.Visible)
	}
	p.press(kb.Enter)
	p.until(`document.activeElement.id === 'content'`)
	p.press(kb.Tab)
	if !ask[bool](p, `document.getElementById('content').contains(document.activeElement)`) {
		p.t.Error("the stop after the skip link is not within the content")
	}
}

// stop is where the focus is after a press of Tab.
type stop struct {
	Name   string
	End    bool // past the last stop, or at one that was met before
	Folded bool // the summary of closed details
	Marked bool // an outline shows the focus, and nothing cuts it off
	InView bool
}

// watchStops gives the page what readStop needs to know which stops were met.
const watchStops = `void (window.met = new Set())`

const readStop = `(() => {
	const e = document.activeElement, style = getComputedStyle(e);
	const name = e.tagName.toLowerCase() + ' ' + (e.getAttribute('aria-label') || e.textContent).trim().slice(0, 60);
	if (e === document.body || met.has(e)) return { Name: name, End: true };
	met.add(e);
	const margin = parseFloat(style.outlineWidth) + parseFloat(style.outlineOffset), box = e.getBoundingClientRect();
	let marked = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
	for (let a = e.parentElement; a && a !== document.body; a = a.parentElement) {
		const cut = a.getBoundingClientRect(), slack = margin - .5;
		if (getComputedStyle(a).overflowX !== 'visible' && (box.left - slack < cut.left || box.right + slack > cut.right || box.top - slack < cut.top || box.bottom + slack > cut.bottom)) marked = false;
	}
	return {
		Name: name, Marked: marked, InView: box.bottom > 0 && box.top < innerHeight,
		Folded: e.tagName === 'SUMMARY' && !e.parentElement.open,
	};
})()`

// readMissed names what can be seen and operated and was not met.
const readMissed = `[...document.querySelectorAll('a[href], button, input, summary, [tabindex="0"]')]
	.filter(e => e.checkVisibility() && !met.has(e)).map(e => e.outerHTML.slice(0, 100))`

// testEveryStop walks the page with Tab and unfolds with Enter what is folded.
// In the end everything is unfolded and everything operable was met.
func testEveryStop(p *tab) {
	ask[chromedp.Void](p, watchStops)
	n := 0
	for {
		p.press(kb.Tab)
		s := ask[stop](p, readStop)
		if s.End {
			break
		}
		n++
		if !s.Marked || !s.InView {
			p.t.Errorf("stop %d, %s: focus is marked: %v, in view: %v", n, s.Name, s.Marked, s.InView)
		}
		if s.Folded {
			p.press(kb.Enter)
			p.until("document.activeElement.parentElement.open")
		}
	}
	for _, m := range ask[[]string](p, readMissed) {
		p.t.Errorf("Tab does not reach %s", m)
	}
	if closed := ask[int](p, "document.querySelectorAll('details:not([open])').length"); closed > 0 || n < 60 {
		p.t.Errorf("after %d stops %d details are closed", n, closed)
	}
}

// tabTo presses Tab until the focus is where selector says.
func (p *tab) tabTo(selector string) {
	p.t.Helper()
	ask[chromedp.Void](p, watchStops)
	for {
		p.press(kb.Tab)
		s := ask[stop](p, readStop)
		if ask[bool](p, "document.activeElement.matches('"+selector+"')") {
			return
		}
		if s.End {
			p.t.Fatalf("Tab does not reach %s", selector)
		}
	}
}

// testKeysOperate does with keys what the other tests do with a pointer.
func testKeysOperate(p *tab) {
	p.tabTo(`#theme`)
	p.press(" ")
	p.until(`document.activeElement.getAttribute('aria-pressed') === 'true'`)

	p.tabTo(`[data-verdict=fail]`)
	p.press(" ")
	if got := ask[filterState](p, readFilter); !slices.Equal(got.Rows, []string{"SRS-CHK-001.44"}) || !slices.Equal(got.Pressed, []string{"fail"}) {
		p.t.Errorf("Space on the button for failures shows %+v", got)
	}
	p.tabTo(`[data-verdict=inconclusive]`)
	p.press(kb.Enter)
	if got := ask[filterState](p, readFilter); !slices.Equal(got.Rows, []string{"SRS-CHK-002.09"}) || !slices.Equal(got.Pressed, []string{"inconclusive"}) {
		p.t.Errorf("Enter on the button for inconclusive shows %+v", got)
	}
	p.tabTo(`#words`)
	p.press("deadline")
	before := ask[string](p, "location.href")
	p.press(kb.Enter)
	if got := ask[filterState](p, readFilter); !slices.Equal(got.Rows, []string{"SRS-CHK-002.09"}) || got.Said != "1 of 9 clauses shown" {
		p.t.Errorf("typed words show %+v", got)
	}
	if after := ask[string](p, "location.href"); after != before {
		p.t.Errorf("Enter in the text filter leads from %s to %s", before, after)
	}

	p.tabTo(`#c-SRS-CHK-002\\.09 > summary`)
	for i, key := range []string{kb.Enter, " "} {
		p.press(key)
		p.until("document.activeElement.parentElement.open === " + []string{"true", "false"}[i])
	}
	p.tabTo(`[data-fold=open]`)
	p.press(kb.Enter)
	p.until(`!document.querySelector('.scenario:not([open])')`)
	p.tabTo(`[data-fold=""]`)
	p.press(" ")
	p.until(`!document.querySelector('.scenario[open]')`)
}
