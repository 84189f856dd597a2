package wiremock_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/fakes/stub"
	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/wiremock"
	"go.uber.org/goleak"
)

// go-wiremock uses http.DefaultClient, whose idle connections are no leak.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		http.DefaultClient.CloseIdleConnections()
		if err := goleak.Find(); err != nil && code == 0 {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
		os.Exit(code)
	}))
}

// link stands for a dependency link: it counts exchanges and sends the routed
// ones to the stub, the others to a dependency that commits.
type link struct {
	t *testing.T

	mu        sync.Mutex
	seen      int
	committed int
	routes    []*route
	lose      bool // routed exchanges never arrive
}

type route struct {
	link            *link
	exchange        int
	upstream, fault string
	fired           int
	firedC          chan struct{}
}

func (l *link) Route(_, _ string, exchange int, upstream, fault string) wiremock.Routed {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := &route{l, exchange, upstream, fault, 0, make(chan struct{})}
	l.routes = append(l.routes, r)
	return r
}

func (r *route) Fired() int {
	r.link.mu.Lock()
	defer r.link.mu.Unlock()
	return r.fired
}

func (r *route) FiredC() <-chan struct{} { return r.firedC }

func (r *route) Lift() {
	r.link.mu.Lock()
	defer r.link.mu.Unlock()
	r.link.routes = nil
}

// call is one exchange of the target on the link.
func (l *link) call(method, path string) (int, string, http.Header) {
	l.t.Helper()
	l.mu.Lock()
	l.seen++
	upstream, lose := "", l.lose
	for _, r := range l.routes {
		if r.exchange == 0 || r.exchange == l.seen {
			upstream = r.upstream
			if r.fired++; r.fired == 1 {
				close(r.firedC)
			}
		}
	}
	if upstream == "" {
		l.committed++
	}
	l.mu.Unlock()
	if upstream == "" || lose {
		return 201, "", nil
	}
	req, err := http.NewRequestWithContext(l.t.Context(), method, upstream+path, io.NopCloser(strings.NewReader("{}")))
	if err != nil {
		l.t.Error(err)
		return 0, "", nil
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		l.t.Error(err)
		return 0, "", nil
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		l.t.Error(err)
	}
	return resp.StatusCode, string(body), resp.Header
}

func open(t *testing.T, cfg wiremock.Config) (*link, *wiremock.Injector) {
	t.Helper()
	l := &link{t: t}
	cfg.Links = []wiremock.Link{{Name: "payment", Router: l, Operations: map[string]wiremock.Op{
		"charge": {Method: "POST", Path: "/charges", Answers: map[string]wiremock.Answer{"decline": {Status: 402, Body: `{"code":"card_declined"}`}, "validation": {Status: 422}}}, "void": {Method: "POST", Path: "/charges/{id}/void"},
	}}}
	i, err := wiremock.New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := i.Close(); err != nil {
			t.Error(err)
		}
	})
	return l, i
}

func inject(t *testing.T, i *wiremock.Injector, text string) harness.Injection {
	t.Helper()
	f, err := harness.ParseFault(text)
	if err != nil {
		t.Fatal(err)
	}
	j, err := i.Inject(t.Context(), f, "case")
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func fired(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// Both sides: the target meets the canned answer on the exchange that was
// asked for, and the dependency sees all the others and not that one.
func TestStubAnswersOneExchangeAndTheDependencyTheOthers(t *testing.T) {
	server := httptest.NewServer(stub.New().Handler())
	t.Cleanup(func() { http.DefaultClient.CloseIdleConnections(); server.Close() })
	configs := map[string]wiremock.Config{"handler": {Handler: stub.New().Handler()}, "URL": {URL: server.URL + "/"}}
	if url := os.Getenv("ONCECHECK_WIREMOCK_URL"); url != "" {
		configs["a real WireMock"] = wiremock.Config{URL: url}
	}
	for kind, cfg := range configs {
		t.Run(kind, func(t *testing.T) {
			l, i := open(t, cfg)
			j := inject(t, i, "payment/charge#2:stub:status(503,7)")
			if status, _, _ := l.call("POST", "/charges"); status != 201 || j.Fired() != 0 || fired(j.FiredC()) {
				t.Errorf("exchange 1: %d, fired %d", status, j.Fired())
			}
			status, body, header := l.call("POST", "/charges")
			if status != 503 || body != `{"code":"STUBBED"}` || header.Get("Retry-After") != "7" || header.Get("Content-Type") != "application/json" {
				t.Errorf("exchange 2: %d %s %v", status, body, header)
			}
			<-j.FiredC()
			if status, _, _ := l.call("POST", "/charges"); status != 201 {
				t.Errorf("exchange 3: %d", status)
			}
			if j.Fired() != 1 || l.committed != 2 || j.Via() != "" {
				t.Errorf("fired %d, committed %d", j.Fired(), l.committed)
			}
			for range 2 {
				if err := j.Lift(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if status, _, _ := l.call("POST", "/charges"); status != 201 || j.Fired() != 1 {
				t.Errorf("lifted: %d, fired %d", status, j.Fired())
			}
			if mappings := get(t, i.URL()+"/__admin/mappings"); strings.Contains(mappings, "STUBBED") {
				t.Errorf("left on the server: %s", mappings)
			}
		})
	}
}

func get(t *testing.T, url string) string {
	t.Helper()
	resp, err := http.DefaultClient.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestEveryExchangeAndAnyOperation(t *testing.T) {
	l, i := open(t, wiremock.Config{Handler: stub.New().Handler()})
	j := inject(t, i, "payment:stub:status(429)")
	for _, path := range []string{"/charges", "/charges/1/void", "/anything?x=y"} {
		if status, _, _ := l.call("POST", path); status != 429 {
			t.Errorf("%s: %d", path, status)
		}
	}
	if err := j.Lift(t.Context()); err != nil || j.Fired() != 3 {
		t.Errorf("fired %d, %v", j.Fired(), err)
	}
}

func TestAnswersInTheWordsOfTheDependency(t *testing.T) {
	l, i := open(t, wiremock.Config{Handler: stub.New().Handler()})
	for name, want := range map[string]struct {
		status int
		body   string
	}{"decline": {402, `{"code":"card_declined"}`}, "validation": {422, ""}} {
		f, err := harness.ParseFault("payment/charge#*:answer(" + name + ")")
		if err != nil {
			t.Fatal(err)
		}
		injection, err := i.Inject(t.Context(), f, "case")
		if err != nil {
			t.Fatal(err)
		}
		if status, body, _ := l.call("POST", "/charges"); status != want.status || body != want.body {
			t.Errorf("%s: %d %s, want %d %s", name, status, body, want.status, want.body)
		}
		if err := injection.Lift(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := i.Inject(t.Context(), harness.Fault{Link: "payment", Operation: "void", Cut: harness.Cut{Point: harness.CutStub}, Action: harness.Action{Name: harness.ActAnswer, Answer: "decline"}}, "case"); err == nil || !strings.Contains(err.Error(), "declares no such answer") {
		t.Errorf("an answer that nobody declared: %v", err)
	}
}

func TestPathsOfAnOperation(t *testing.T) {
	l, i := open(t, wiremock.Config{Handler: stub.New().Handler()})
	j := inject(t, i, "payment/void:stub:status(204)")
	if status, body, header := l.call("POST", "/charges/a.b/void"); status != 204 || body != "" || header.Get("Content-Type") != "" {
		t.Errorf("%d %q %v", status, body, header)
	}
	// A route that goes wrong is no fault: the stub answers 404 and counts nothing.
	if status, _, _ := l.call("POST", "/charges/a/b/void"); status != 404 {
		t.Errorf("another path: %d", status)
	}
	if j.Fired() != 1 {
		t.Errorf("fired %d", j.Fired())
	}
}

// The link says it routed, the stub's journal has nothing: nothing fired.
func TestAnExchangeThatNeverReachedTheStubDidNotFire(t *testing.T) {
	l, i := open(t, wiremock.Config{Handler: stub.New().Handler()})
	l.lose = true
	j := inject(t, i, "payment/charge:stub:status(503)")
	l.call("POST", "/charges")
	if err := j.Lift(t.Context()); err != nil {
		t.Fatal(err)
	}
	if j.Fired() != 0 || fired(j.FiredC()) {
		t.Errorf("fired %d", j.Fired())
	}
}

func TestInjectionsHaveStubsOfTheirOwn(t *testing.T) {
	_, i := open(t, wiremock.Config{Handler: stub.New().Handler()})
	first, second := &link{t: t}, &link{t: t}
	_ = i.Close()
	i, err := wiremock.New(t.Context(), wiremock.Config{Handler: stub.New().Handler(), Links: []wiremock.Link{
		{Name: "payment", Router: first}, {Name: "orders", Router: wiremock.RouterFunc(second.Route)}}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = i.Close() }()
	a, b := inject(t, i, "payment:stub:status(500)"), inject(t, i, "orders:stub:status(502)")
	if status, _, _ := first.call("POST", "/x"); status != 500 {
		t.Errorf("payment: %d", status)
	}
	if a.Fired() != 1 || b.Fired() != 0 {
		t.Errorf("fired %d and %d", a.Fired(), b.Fired())
	}
	if err := a.Lift(t.Context()); err != nil {
		t.Fatal(err)
	}
	if status, _, _ := second.call("POST", "/x"); status != 502 {
		t.Errorf("orders: %d", status)
	}
}

// A server that hangs must not hang the run: go-wiremock has no timeout.
func TestAServerThatHangs(t *testing.T) {
	hang, entered := make(chan struct{}), make(chan struct{}, 8)
	stubs := stub.New().Handler()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "DELETE" || r.URL.Path == "/__admin/mappings" {
			entered <- struct{}{}
			<-hang
		}
		stubs.ServeHTTP(w, r)
	}))
	defer server.Close()
	defer http.DefaultClient.CloseIdleConnections()
	_, i := open(t, wiremock.Config{URL: server.URL})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-entered; cancel() }()
	f, err := harness.ParseFault("payment:stub:status(503)")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := i.Inject(ctx, f, "case"); !errors.Is(err, context.Canceled) {
		t.Errorf("inject: %v", err)
	}
	close(hang)
}

func TestRefusals(t *testing.T) {
	_, i := open(t, wiremock.Config{Handler: stub.New().Handler()})
	for text, accepted := range map[string]bool{
		"payment/charge#1:stub:status(503)": true, "payment:stub:status(200)": true,
		"payment:before-forward:status(503)": false, "orders:stub:status(503)": false, "payment:tcp:reset": false,
	} {
		f, err := harness.ParseFault(text)
		if err != nil {
			t.Fatal(err)
		}
		if i.Accepts(f) != accepted {
			t.Errorf("%s: accepted %v", text, !accepted)
		}
	}
	f, err := harness.ParseFault("payment/refund:stub:status(503)")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := i.Inject(t.Context(), f, "case"); err == nil || !strings.Contains(err.Error(), `no operation "refund"`) {
		t.Errorf("unknown operation: %v", err)
	}

	router := &link{t: t}
	journalless := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"count":-1}`) })
	for name, cfg := range map[string]wiremock.Config{
		"neither":    {},
		"both":       {URL: "http://127.0.0.1:1", Handler: stub.New().Handler()},
		"no router":  {Handler: stub.New().Handler(), Links: []wiremock.Link{{Name: "payment"}}},
		"twice":      {Handler: stub.New().Handler(), Links: []wiremock.Link{{Name: "a", Router: router}, {Name: "a", Router: router}}},
		"no server":  {URL: "http://127.0.0.1:1"},
		"no stubs":   {Handler: http.NotFoundHandler()},
		"no journal": {Handler: journalless},
	} {
		if _, err := wiremock.New(t.Context(), cfg); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}

// TestAStubThatIsGoneIsLifted: somebody reset the server, which is all that
// lifting is for.
func TestAStubThatIsGoneIsLifted(t *testing.T) {
	l, i := open(t, wiremock.Config{Handler: stub.New().Handler()})
	j := inject(t, i, "payment/charge:stub:status(503)")
	l.call("POST", "/charges")
	ask, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, i.URL()+"/__admin/mappings", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(ask)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("reset: %v, %v", answer, err)
	}
	_ = answer.Body.Close()
	if err := j.Lift(t.Context()); err != nil || j.Fired() != 1 {
		t.Errorf("lifted: %v, fired %d", err, j.Fired())
	}
}

func TestCloseLiftsAndRefuses(t *testing.T) {
	l, i := open(t, wiremock.Config{Handler: stub.New().Handler()})
	j := inject(t, i, "payment:stub:status(503)")
	if err := i.Close(); err != nil {
		t.Fatal(err)
	}
	if status, _, _ := l.call("POST", "/charges"); status != 201 || j.Fired() != 0 {
		t.Errorf("after close: %d", status)
	}
	f, _ := harness.ParseFault("payment:stub:status(503)")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := i.Inject(ctx, f, "case"); err == nil {
		t.Error("a closed injector injects")
	}
}
