package rig

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/oncecheck/oncecheck/fakes"
	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/profile"
	"github.com/oncecheck/oncecheck/harness/wire"
)

// linked is a rig of which only the dependencies are open.
type linked struct {
	*Rig
	t     *testing.T
	p     *profile.Profile
	links dependencies
}

func link(t *testing.T, o Options, text string) linked {
	t.Helper()
	l, err := tryLink(t, o, text)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func tryLink(t *testing.T, o Options, text string) (linked, error) {
	p := load(t, profileOf("http://127.0.0.1:1", text))
	r := &Rig{Target: &harness.Target{Clock: harness.NewClock()}}
	t.Cleanup(func() {
		if err := r.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	journal := wire.NewJournal()
	r.Target.Journal = journal
	links, err := r.openDependencies(t.Context(), p, o, journal)
	return linked{r, t, p, links}, err
}

// call sends one request to a dependency as a target would, and returns the
// answer.
func (l linked) call(dependency, method, path, contentType, body string, header ...string) (int, string) {
	l.t.Helper()
	req, err := http.NewRequestWithContext(l.t.Context(), method, "http://"+l.links[dependency].Addr()+path, strings.NewReader(body))
	if err != nil {
		l.t.Fatal(err)
	}
	req.Close = true
	req.Header.Set("Content-Type", contentType)
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		l.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		l.t.Fatal(err)
	}
	return resp.StatusCode, string(answer)
}

// TestAStrangersProvider: routes, key header and attribution are what the
// profile says, and the calls pass unchanged.
func TestAStrangersProvider(t *testing.T) {
	const form, jsonType = "application/x-www-form-urlencoded", "application/json; charset=utf-8"
	for name, row := range map[string]struct {
		attribute, contentType, body string
		header                       []string
		claimed                      string // the value by which the case is known
	}{
		"a member":            {"attribute: .order.ref", jsonType, `{"order":{"ref":"cart-1"}}`, nil, "cart-1"},
		"the amount":          {"attribute: .amount", jsonType, `{"amount":1010}`, nil, "1010"},
		"the amount in full":  {"attribute: .amount", jsonType, `{"amount":1010.00}`, nil, "1010"},
		"the amount as text":  {"attribute: .amount", jsonType, `{"amount":"1010"}`, nil, "1010"},
		"a field":             {"attribute: .reference", form, "amount=5&reference=cart%2D1", nil, "cart-1"},
		"a field in a field":  {"attribute: .metadata.order", form, "metadata%5Border%5D=cart-1", nil, "cart-1"},
		"the amount, a field": {"attribute: .amount", form, "amount=1010", nil, "1010"},
		"a header":            {"attributeHeader: X-Order", jsonType, `{}`, []string{"X-Order", "cart-1"}, "cart-1"},
		"a header beside a member that is not there": {"attribute: .order, attributeHeader: X-Order", jsonType, `{"order":7}`, []string{"X-Order", "cart-1"}, "cart-1"},
	} {
		t.Run(name, func(t *testing.T) {
			seen := make(chan [2]string, 1)
			psp := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				seen <- [2]string{r.Method + " " + r.URL.RequestURI() + " " + r.Header.Get("PSP-Request-Id"), string(body)}
				w.WriteHeader(http.StatusCreated)
			}))
			defer psp.Close()
			l := link(t, Options{}, `dependencies: {psp: {listen: "127.0.0.1:0", upstream: "`+psp.URL+`/api", keyHeader: PSP-Request-Id, operations: {pay: {path: "/v1/{account}/payments", effect: charge}}, `+row.attribute+`}}`)
			calls := make(chan harness.Call, 1)
			stop := l.Target.Journal.Follow("c/1", []string{row.claimed}, func(c harness.Call) { calls <- c })
			defer stop()
			status, _ := l.call("psp", "POST", "/v1/acme/payments?x=1", row.contentType, row.body, append(row.header, "PSP-Request-Id", "k-1")...)
			if got := <-seen; status != 201 || got != [2]string{"POST /api/v1/acme/payments?x=1 k-1", row.body} {
				t.Fatalf("status %d, the provider saw %q", status, got)
			}
			if c := <-calls; c.Link != "psp" || c.Operation != "pay" || c.Key != "k-1" || c.Upstream != 201 {
				t.Errorf("%+v", c)
			}
		})
	}
}

const faked = `
  payment: {listen: "127.0.0.1:0", fake: provider, operations: {charge: {path: /charges, effect: charge}}, attribute: .reference}
  orders: {listen: "127.0.0.1:0", fake: provider, operations: {create: {path: /orders, effect: order}}, attribute: .reference}
`

// TestProviderFakesShareOneLedger, which is the probe where the profile names no
// other.
func TestProviderFakesShareOneLedger(t *testing.T) {
	worlds := 0
	l := link(t, Options{Fakes: func() harness.Fakes { worlds++; return fakes.New() }}, "effects: {perSuccess: {charge: 1, order: 1}}\ndependencies:"+faked)
	probe, err := l.openProbe(l.p, Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if effects, err := probe.Effects(t.Context(), 0); err != nil || len(effects) != 0 {
		t.Fatalf("before: %+v, %v", effects, err)
	}
	for range 2 {
		if status, body := l.call("payment", "POST", "/charges", "application/json", `{"reference":"cart-1","amount":10,"currency":"EUR","token":"t"}`, "Idempotency-Key", "k"); status != 201 {
			t.Fatalf("%d %s", status, body)
		}
	}
	l.call("orders", "POST", "/orders", "application/json", `{"reference":"cart-1","amount":10,"currency":"EUR"}`)
	effects, err := probe.Effects(t.Context(), 0)
	if err != nil || len(effects) != 2 || effects[0].Kind+effects[1].Kind != "chargeorder" || worlds != 1 {
		t.Errorf("%d worlds, effects %+v, %v", worlds, effects, err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestStubsAnswer(t *testing.T) {
	const charge = `{"request":{"method":"POST","urlPath":"/charges"},"response":{"status":201,"jsonBody":{"id":"ch_1"}}}`
	const several = `{"mappings":[{"request":{"urlPath":"/a"},"response":{"status":202}},{"request":{"urlPath":"/b"},"response":{"status":204}}],"meta":{"total":2}}`
	for name, file := range map[string]string{"as WireMock keeps them": "mappings/sub/charge.json", "in the folder itself": "charge.JSON"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, file), charge)
			write(t, filepath.Join(filepath.Dir(filepath.Join(dir, file)), "several.json"), several)
			write(t, filepath.Join(dir, "README.md"), "no mapping")
			l := link(t, Options{}, `dependencies: {psp: {listen: "127.0.0.1:0", stubs: "`+dir+`"}}`)
			if status, body := l.call("psp", "POST", "/charges", "application/json", "{}"); status != 201 || body != `{"id":"ch_1"}` {
				t.Errorf("%d %s", status, body)
			}
			for path, want := range map[string]int{"/a": 202, "/b": 204, "/c": 404, "/__admin/mappings": 404} {
				if status, _ := l.call("psp", "GET", path, "", ""); status != want {
					t.Errorf("%s: %d", path, status)
				}
			}
		})
	}
}

func TestStubsThatCannotBeUsed(t *testing.T) {
	for name, row := range map[string]struct{ file, text, says string }{
		"no folder":     {"", "", "no such file"},
		"no mapping":    {"a/b.txt", "{}", "holds no .json file"},
		"no JSON":       {"a/b.json", "{", "b.json: read a mapping: it is no JSON object"},
		"no request":    {"a/b.json", "{}", "field /request"},
		"what we lack":  {"a/b.json", `{"request":{"urlPath":"/a"},"response":{"bodyFileName":"x"}}`, "bodyFileName is not implemented"},
		"one of two":    {"a/b.json", `{"mappings":[{"request":{"urlPath":"/a"},"response":{}},{"response":{}}]}`, "read mapping 2"},
		"mappings of 1": {"a/mappings/b.json", `[]`, "no JSON object"},
	} {
		dir := t.TempDir()
		if row.file != "" {
			write(t, filepath.Join(dir, row.file), row.text)
		}
		_, err := tryLink(t, Options{}, `dependencies: {psp: {listen: "127.0.0.1:0", stubs: "`+filepath.Join(dir, "a")+`"}}`)
		if err == nil || !strings.Contains(err.Error(), row.says) || !strings.Contains(err.Error(), "dependencies.psp") {
			t.Errorf("%s: %v, want %q", name, err, row.says)
		}
	}
}

// TestDependenciesThatCannotBeOpened: each error names the dependency and what
// to do.
func TestDependenciesThatCannotBeOpened(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	brings := Options{Fakes: fakes.New}
	for name, row := range map[string]struct {
		o          Options
		text, says string
	}{
		"an address in use":    {brings, `payment: {listen: "` + taken.Addr().String() + `", fake: provider}`, "another run of this profile?"},
		"a dead upstream":      {Options{}, `payment: {listen: "127.0.0.1:0", upstream: "` + gone.URL + `"}`, "start it, or correct upstream"},
		"a test without fakes": {Options{}, `payment: {listen: "127.0.0.1:0", fake: provider}`, `import "github.com/oncecheck/oncecheck/fakes" and add "Fakes: fakes.New"`},
		"an unknown part":      {brings, `payment: {listen: "127.0.0.1:0", fake: provider}, carrier: {listen: "127.0.0.1:0", fake: provider}`, `plays no "carrier"`},
	} {
		_, err := tryLink(t, row.o, "dependencies: {"+row.text+"}")
		if err == nil || !strings.Contains(err.Error(), row.says) || !strings.HasPrefix(err.Error(), "dependencies.") {
			t.Errorf("%s: %v, want %q", name, err, row.says)
		}
		if name == "an address in use" && !errors.Is(err, syscall.EADDRINUSE) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTheSinkWritesDownWhatItAcknowledges(t *testing.T) {
	p := load(t, profileOf("http://127.0.0.1:1", `sink: {listen: "127.0.0.1:0"}`))
	r := &Rig{Target: &harness.Target{Clock: harness.NewClock()}}
	if r.Deliveries() != nil {
		t.Error("a rig without a sink has deliveries")
	}
	if err := r.openSink(p); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close(context.WithoutCancel(t.Context())) }()
	send := func(body io.Reader) int {
		req := httptest.NewRequest("POST", "/events?x=1", body)
		req.Header.Set("X-Event-Id", "e-1")
		w := httptest.NewRecorder()
		r.sink.ServeHTTP(w, req)
		return w.Code
	}
	if got := send(strings.NewReader(`{"id":"e-1"}`)); got != http.StatusNoContent {
		t.Fatalf("answered %d", got)
	}
	got := r.Deliveries()
	if len(got) != 1 || got[0].Method != "POST" || got[0].Path != "/events?x=1" || string(got[0].Body) != `{"id":"e-1"}` || got[0].Header.Get("X-Event-Id") != "e-1" || got[0].At <= 0 {
		t.Errorf("%+v", got)
	}
	if got := send(strings.NewReader(strings.Repeat("x", maxEvent+1))); got != http.StatusRequestEntityTooLarge {
		t.Errorf("too large an event was answered %d", got)
	}
	r.sink.deliveries = make([]Delivery, maxDeliveries)
	if got := send(strings.NewReader("{}")); got != http.StatusInsufficientStorage || len(r.Deliveries()) != maxDeliveries {
		t.Errorf("one too many was answered %d", got)
	}
}

func TestTheSinkListensWhereItIsDeclared(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := taken.Addr().String()
	r := &Rig{Target: &harness.Target{Clock: harness.NewClock()}}
	p := load(t, profileOf("http://127.0.0.1:1", `sink: {listen: "`+address+`"}`))
	if err := r.openSink(p); err == nil || !strings.Contains(err.Error(), "sink: listen on "+address) || !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("its address is in use: %v", err)
	}
	_ = taken.Close()
	if err := r.Close(context.WithoutCancel(t.Context())); err != nil {
		t.Error(err)
	}
}
