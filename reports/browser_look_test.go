package reports

import (
	"fmt"
	"strings"
	"testing"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

func prefers(scheme string) step {
	return send(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
}

const background = "getComputedStyle(document.body).backgroundColor"

func (b browser) testTheme(t *testing.T, page string) {
	seen := map[string]string{}
	for _, c := range []struct{ system, other, pressed, then string }{{"light", "dark", "false", "true"}, {"dark", "light", "true", "false"}} {
		p := b.open(t, page, prefers(c.system))
		pressed := "document.getElementById('theme').getAttribute('aria-pressed')"
		look := func(when, scheme, state string) {
			t.Helper()
			if got := ask[string](p, pressed); got != state {
				t.Errorf("%s system, %s: aria-pressed is %s, want %s", c.system, when, got, state)
			}
			color := ask[string](p, background)
			if before, ok := seen[scheme]; ok && before != color {
				t.Errorf("%s system, %s: the background is %s, elsewhere in %s %s", c.system, when, color, scheme, before)
			}
			seen[scheme] = color
		}
		look("at first", c.system, c.pressed)
		p.run("press the theme button", chromedp.Click(chromedp.ID("theme")))
		look("after the button", c.other, c.then)
		p.run("press the theme button again", chromedp.Click(chromedp.ID("theme")))
		look("after the button again", c.system, c.pressed)
	}
	if seen["light"] == seen["dark"] {
		t.Errorf("light and dark have the background %s", seen["light"])
	}
}

// width is how a page with everything unfolded fits.
type width struct {
	Is, Scrolled float64
	Closed       int
	Outside, Cut []string // what sticks out of the page, and what loses a part of its content
	Broken       []string // short words that do not stand on one line
	Background   string
}

const readWidth = `(() => {
	document.querySelectorAll('details').forEach(d => { d.open = true; });
	const root = document.documentElement, outside = [], cut = [], name = e => e.outerHTML.slice(0, 120);
	for (const e of document.querySelectorAll('body *')) {
		const style = getComputedStyle(e);
		if (!e.matches('.vh') && (style.overflowX === 'hidden' || style.overflowX === 'clip') && e.scrollWidth > e.clientWidth && e.clientWidth) cut.push(name(e));
		if (e.getBoundingClientRect().right <= root.clientWidth + .5 || !e.checkVisibility()) continue;
		let scrolls = false;
		for (let a = e.parentElement; a; a = a.parentElement) if (/auto|scroll/.test(getComputedStyle(a).overflowX)) scrolls = true;
		if (!scrolls) outside.push(name(e));
	}
	const broken = [], range = document.createRange(), texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (texts.nextNode()) {
		const node = texts.currentNode;
		if (node.parentElement.closest('script, style, svg, .vh') || !node.parentElement.checkVisibility()) continue;
		for (const word of node.data.matchAll(/(?<!\S)[A-Za-z]{2,12}(?!\S)/g)) {
			range.setStart(node, word.index);
			range.setEnd(node, word.index + word[0].length);
			if (new Set([...range.getClientRects()].map(r => Math.round(r.top))).size > 1) broken.push(word[0] + ' in ' + name(node.parentElement));
		}
	}
	scrollTo(1e6, 0);
	return { Broken: broken, Is: root.clientWidth, Scrolled: Math.max(scrollX, root.scrollWidth - root.clientWidth), Outside: outside, Cut: cut,
		Closed: document.querySelectorAll('details:not([open])').length, Background: getComputedStyle(document.body).backgroundColor };
})()`

func (b browser) testWidth(t *testing.T, page string) {
	long := fixtureEvidence()
	word := strings.Repeat("unbroken", 40)
	long.Target.Name, long.Run.Repeat, long.Clauses[3].Title, long.Clauses[3].Checks[1].Observed = word, word, word, word
	long.Clauses[3].Checks[1].Witness[0].Text, long.Scenarios[1].Faults[0].Fault, long.Scenarios[1].Title, long.Clauses[6].Reason = word, word, word, word
	long.Clauses[3].Checks[1].Name, long.Invariants[0].Reason, long.NFRs[0].Claim, long.NotProven[0].Why = word, word, word, word
	seen := map[string]string{}
	for name, url := range map[string]string{"usual words": page, "long words": pageFile(t, long)} {
		p := b.open(t, url)
		for _, size := range []int64{360, 1280} {
			for _, scheme := range []string{"light", "dark"} {
				label := fmt.Sprintf("%s, %d px, %s", name, size, scheme)
				p.run("set the size", send(emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: size, Height: 800, DeviceScaleFactor: 1, Mobile: size < 600}), prefers(scheme))
				p.until(fmt.Sprintf("innerWidth >= %d && matchMedia('(prefers-color-scheme: %s)').matches", size, scheme))
				w := ask[width](p, readWidth)
				if w.Is != float64(size) || w.Closed > 0 {
					t.Fatalf("%s: the page has %v px, and %d closed details", label, w.Is, w.Closed)
				}
				if w.Scrolled > 0 || len(w.Outside)+len(w.Cut)+len(w.Broken) > 0 {
					t.Errorf("%s: the page scrolls by %v px; outside: %q; cut: %q; broken words: %q", label, w.Scrolled, w.Outside, w.Cut, w.Broken)
				}
				seen[scheme] = w.Background
			}
		}
	}
	if seen["light"] == seen["dark"] {
		t.Error("light and dark look the same, so only one was measured")
	}
}

func noScripts() step {
	return send(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
}

// testNoScripts reads a page whose scripts do not run.
func testNoScripts(p *tab) {
	if ask[string](p, "document.documentElement.className") != "" {
		p.t.Fatal("the page's script ran all the same")
	}
	e := fixtureEvidence()
	text := ask[string](p, "document.body.innerText")
	for _, c := range e.Clauses {
		if !strings.Contains(text, string(c.ID)) {
			p.t.Errorf("without scripts clause %s cannot be seen", c.ID)
		}
	}
	for _, want := range []string{e.Run.Repeat, "2 charges: ch-1, ch-2", "1 failed"} {
		if !strings.Contains(text, want) {
			p.t.Errorf("without scripts the page does not show %q", want)
		}
	}
	if dead := ask[int](p, "[...document.querySelectorAll('button, input')].filter(e => e.checkVisibility()).length"); dead > 0 {
		p.t.Errorf("without scripts the page shows %d buttons and fields that do nothing", dead)
	}
}

func (b browser) testCopy(t *testing.T, page string) {
	e := fixtureEvidence()
	for _, c := range []struct {
		setting  cdpbrowser.PermissionSetting
		says     string
		selector string
		want     string
	}{
		{cdpbrowser.PermissionSettingGranted, "Copied", ".top .copy", e.Run.Repeat},
		{cdpbrowser.PermissionSettingGranted, "Copied", "#failures .copy", e.Clauses[3].Checks[1].Repeat},
		{cdpbrowser.PermissionSettingDenied, "Selected", ".top .copy", e.Run.Repeat},
	} {
		p := b.open(t, page)
		p.allowCopying(c.setting)
		p.run("press Copy", chromedp.Click(chromedp.CSS(c.selector)))
		p.until(fmt.Sprintf("document.querySelector('%s').textContent === '%s'", c.selector, c.says))
		held := "navigator.clipboard.readText()"
		if c.setting == cdpbrowser.PermissionSettingDenied {
			held = "getSelection().toString()"
		}
		if got := ask[string](p, held); got != c.want {
			t.Errorf("%s with copying %s: got %q, want %q", c.selector, c.setting, got, c.want)
		}
	}
}

// allowCopying answers for the reader whether the page may use the clipboard.
func (p *tab) allowCopying(setting cdpbrowser.PermissionSetting) {
	p.t.Helper()
	for _, d := range []cdpbrowser.PermissionDescriptor{{Name: "clipboard-read"}, {Name: "clipboard-write"}, {Name: "clipboard-write", AllowWithoutSanitization: true}} {
		params := cdpbrowser.SetPermissionParams{Permission: &d, Setting: setting, BrowserContextID: chromedp.FromContext(p.ctx).BrowserContextID}
		if _, err := chromedp.CallBrowser(p.ctx, cdpbrowser.SetPermission, params); err != nil {
			p.t.Fatalf("set the permission %s to %s: %v", d.Name, setting, err)
		}
	}
}
