package reports

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/oncecheck/oncecheck/harness"
)

// requireBrowser makes a missing browser a failure, so that the machine that
// decides what lands cannot skip these tests unnoticed.
const requireBrowser = "ONCECHECK_REQUIRE_BROWSER"

// Bounds of all tests here, which take seconds, and of one question or step,
// which take milliseconds: so that a page that never does what is waited for
// fails with the words of what was waited for.
const (
	patience     = 2 * time.Minute
	stepPatience = 20 * time.Second
)

// TestPageInABrowser looks at the page as its readers do. One browser serves
// all subtests; each gets a profile of its own, so that a stored theme or a
// permission does not reach the next.
func TestPageInABrowser(t *testing.T) {
	path, err := findBrowser()
	if err != nil {
		if os.Getenv(requireBrowser) == "1" {
			t.Fatalf("%s=1 and %v", requireBrowser, err)
		}
		t.Skip(err)
	}
	b := startBrowser(t, path)
	page := pageFile(t, fixtureEvidence())
	t.Run("the watch sees trouble", b.testWatch)
	t.Run("filter", func(t *testing.T) { testFilter(b.open(t, page)) })
	t.Run("a link lifts the filter", func(t *testing.T) { testLinkLiftsFilter(b.open(t, page)) })
	t.Run("skip link", func(t *testing.T) { testSkipLink(b.open(t, page)) })
	t.Run("every stop by keyboard", func(t *testing.T) { testEveryStop(b.open(t, page)) })
	t.Run("keys operate", func(t *testing.T) { testKeysOperate(b.open(t, page)) })
	t.Run("theme", func(t *testing.T) { b.testTheme(t, page) })
	t.Run("width", func(t *testing.T) { b.testWidth(t, page) })
	t.Run("without scripts", func(t *testing.T) { testNoScripts(b.open(t, page, noScripts())) })
	t.Run("copy", func(t *testing.T) { b.testCopy(t, page) })
}

func findBrowser() (string, error) {
	names := []string{"chromium", "chromium-browser", "google-chrome"}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("none of %s is on the PATH: install Debian's chromium to look at the page", strings.Join(names, ", "))
}

// pageFile writes the page where a browser can open it, and returns its URL.
func pageFile(t *testing.T, e harness.Evidence) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(path, []byte(htmlOf(t, e)), 0o644); err != nil {
		t.Fatal(err)
	}
	return fileURL(path)
}

func fileURL(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}

type browser struct{ ctx context.Context }

func startBrowser(t *testing.T, path string) browser {
	t.Helper()
	// The test's own context ends before its cleanup closes the browser.
	bounded, release := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
	t.Cleanup(release)
	// Nothing here has a reason to leave the machine, so no name resolves.
	alloc, stop := chromedp.NewExecAllocator(bounded, chromedp.ExecPath(path), chromedp.UserDataDir(t.TempDir()),
		chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-sync", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-breakpad", true), chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND"))
	t.Cleanup(stop)
	ctx, _ := chromedp.NewContext(alloc)
	t.Cleanup(func() {
		if err := chromedp.Cancel(ctx); err != nil {
			t.Errorf("close the browser: %v", err)
		}
	})
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("start %s: %v", path, err)
	}
	return browser{ctx}
}

// tab is one page with a watch over what it complains about and asks for.
type tab struct {
	t        *testing.T
	ctx      context.Context
	mu       sync.Mutex
	problems []string
	requests []string
}

// open shows a page, after before was done. When the test ends, the page must
// have complained about nothing and asked for nothing but itself.
func (b browser) open(t *testing.T, page string, before ...step) *tab {
	t.Helper()
	p := b.watch(t, page, before...)
	t.Cleanup(func() {
		problems, requests := p.trouble()
		for _, problem := range problems {
			t.Errorf("the page complains: %s", problem)
		}
		if !slices.Equal(requests, []string{page}) {
			t.Errorf("the page asks for %q, want only itself", requests)
		}
	})
	return p
}

func (b browser) watch(t *testing.T, page string, before ...step) *tab {
	t.Helper()
	p := &tab{t: t}
	ctx, shut := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext(), chromedp.WithListener(p.note))
	t.Cleanup(shut)
	p.ctx = ctx
	// The first use opens the tab, which ends with the context that is used.
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("open a tab: %v", err)
	}
	// A tab in the background gets no focus and may not copy.
	p.run("prepare a tab", send(network.Enable, network.EnableParams{}), send(emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}))
	p.run("prepare for the page", before...)
	p.run("open "+page, chromedp.Navigate(page))
	return p
}

func (p *tab) note(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, e.Request.URL)
	case *runtime.EventExceptionThrown:
		p.problems = append(p.problems, "an exception was thrown: "+describe(e.ExceptionDetails))
	case *runtime.EventConsoleAPICalled:
		p.problems = append(p.problems, fmt.Sprintf("console.%s was called", e.Type))
	case *log.EventEntryAdded:
		p.problems = append(p.problems, fmt.Sprintf("%s from %s: %s", e.Entry.Level, e.Entry.Source, e.Entry.Text))
	}
}

func describe(d *runtime.ExceptionDetails) string {
	if d.Exception != nil {
		return d.Text + " " + d.Exception.Description
	}
	return d.Text
}

// trouble returns what was noted so far. Asking the page first makes sure that
// what it said before has arrived, since a tab's messages keep their order.
func (p *tab) trouble() (problems, requests []string) {
	p.t.Helper()
	ask[int](p, "1")
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.problems), slices.Clone(p.requests)
}

// step is one thing that a reader or the browser does.
type step = chromedp.Action[chromedp.Void]

// send is the step that sends a command of the browser's protocol to the tab.
func send[P any](command cdp.Command[P, cdp.Empty], params P) step {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, command, params)
		return err
	})
}

func (p *tab) run(what string, steps ...step) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, stepPatience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		p.t.Fatalf("%s: %v", what, err)
	}
}

// ask evaluates a JavaScript expression, waiting for a promise.
func ask[T any](p *tab, expression string) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, stepPatience)
	defer cancel()
	answer, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("evaluate %s: %v", expression, err)
	}
	return answer
}

// until waits for a JavaScript condition. chromedp.Poll cannot: it compiles its
// condition in the page, whose policy rightly forbids that.
func (p *tab) until(condition string) {
	p.t.Helper()
	if !ask[bool](p, fmt.Sprintf("new Promise(done => { const end = Date.now() + %d, look = () => (%s) ? done(true) : Date.now() > end ? done(false) : setTimeout(look, 5); look(); })", (stepPatience/2).Milliseconds(), condition)) {
		p.t.Fatalf("waited %v in vain for %s", stepPatience/2, condition)
	}
}

// testWatch proves that the watch would see what no page of ours may do.
func (b browser) testWatch(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bad.html")
	bad := `<!doctype html><meta http-equiv="Content-Security-Policy" content="script-src 'unsafe-inline'">
<img src="http://report.invalid/pixel.png"><script src="http://report.invalid/refused.js"></script>
<script>console.error("said"); setTimeout(function () { document.title = "ran"; throw new Error("thrown"); });</script>`
	if err := os.WriteFile(path, []byte(bad), 0o644); err != nil {
		t.Fatal(err)
	}
	p := b.watch(t, fileURL(path))
	p.until(`document.title === "ran"`)
	problems, requests := p.trouble()
	for _, want := range []string{fileURL(path), "http://report.invalid/pixel.png"} {
		if !slices.Contains(requests, want) {
			t.Errorf("the watch did not see a request for %s, only %q", want, requests)
		}
	}
	all := strings.Join(problems, "\n")
	for _, want := range []string{"console.error", "thrown", "ERR_NAME_NOT_RESOLVED", "refused.js"} {
		if !strings.Contains(all, want) {
			t.Errorf("the watch did not see %s, only:\n%s", want, all)
		}
	}
}
