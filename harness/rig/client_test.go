package rig

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/profile"
	"github.com/oncecheck/oncecheck/harness/shim"
)

// bare is net/http as it comes, behind a shim.
type bare struct {
	client  *http.Client
	trusted atomic.Pointer[string]
}

func (b *bare) Call(ctx context.Context, call shim.Call) shim.Result {
	request, err := call.Request(ctx)
	if err != nil {
		return shim.Failed(ctx, err)
	}
	response, err := b.client.Do(request)
	if err != nil {
		return shim.Failed(ctx, err)
	}
	return shim.Responded(ctx, response)
}

func (b *bare) Trust(_ context.Context, caPEM []byte) error {
	text := string(caPEM)
	b.trusted.Store(&text)
	return nil
}

// serveBare serves its shim and returns the URL.
func serveBare(t *testing.T) (*bare, string) {
	t.Helper()
	b := &bare{client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}
	server := httptest.NewServer(shim.Handler(b, shim.Info{Name: "net/http", Version: "1", Capabilities: []string{"cancel"},
		Policy: &shim.Policy{ConnectMs: 1500, ReadMs: 4000, MaxRetries: 1}}))
	t.Cleanup(server.Close)
	return b, server.URL
}

// refused is a scenario that makes one call on every route that there is.
func refused() harness.Scenario {
	return harness.Scenario{
		ID: "client/refused", Title: "a refusal comes back", Needs: harness.Needs{"dependency"},
		Drive: func(ctx context.Context, s *harness.Session) error {
			for _, route := range s.Routes() {
				c := s.Case(string(route) + "-refused")
				d, err := s.Dependency(ctx, c, route, harness.Script{Steps: []harness.Step{{Status: 422, Body: "{}"}}})
				if err != nil {
					return err
				}
				method := map[harness.Route]string{harness.RouteShim: "GET", harness.RouteGateway: "POST"}[route]
				r := s.Call(ctx, c, route, harness.ClientCall{Method: method, URL: d.URL() + "/items/" + harness.Item(c), Key: c.Key})
				if err := errors.Join(r.Err, d.Close(ctx)); err != nil {
					return err
				}
			}
			return nil
		},
		Checks: []harness.Check{{Name: "refused", Clause: "C.1", Judge: func(h *harness.History) harness.Verdict {
			n, keys := 0, 0
			for e := range h.Events() {
				if e.Type == harness.OK && e.Answer.Status == 422 {
					n++
				}
				if e.Type == harness.CallEvent && e.Call.Link == harness.LinkDependency && e.Call.Key != "" {
					keys++
				}
			}
			if n == 0 || n != keys {
				return harness.Failed("every refusal to come back, and every key to arrive", "otherwise")
			}
			return harness.Passed("they came back")
		}}},
	}
}

// judged tries the target of a profile with that scenario.
func judged(t *testing.T, p *profile.Profile) (harness.Evidence, *harness.Target) {
	t.Helper()
	r, err := Open(t.Context(), p, Options{UserAgent: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	catalogue := harness.Catalogue{Clauses: []harness.Clause{{ID: "C.1", Level: "must"}}, Scenarios: []harness.Scenario{refused()}}
	plan, err := harness.NewPlan(harness.RunInfo{ID: "run-1", Lane: "fast"}, r.Target.Info, catalogue, func(harness.Scenario) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	runner, err := harness.NewRunner(t.Context(), r.Target, plan, dir)
	if err != nil {
		t.Fatal(err)
	}
	e, err := harness.Run(t.Context(), runner, catalogue, harness.Options{Dir: dir, Jobs: 1})
	if err != nil {
		t.Fatal(err)
	}
	return e, r.Target
}

// TestOnlyAClient: a client behind a shim is tried with no target at all, and
// what it declares is what it is held to.
func TestOnlyAClient(t *testing.T) {
	b, at := serveBare(t)
	p, err := OfShim(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	e, target := judged(t, p)
	if e.Run.Exit != harness.ExitGreen || e.Target.Name != "net/http" {
		t.Errorf("exit %d, control %s, %+v", e.Run.Exit, e.Run.Control.Reason, e.Clauses)
	}
	if got := target.Info.Capabilities; !slices.Equal(got, []harness.Capability{"dependency", "cancel", "tls-trust"}) {
		t.Errorf("capabilities %v", got)
	}
	if got := target.Info.Policy.Client; got.Connect.Std().Milliseconds() != 1500 || got.Read.Std().Milliseconds() != 4000 || got.Total != harness.RequiredPolicy().Client.Total || got.Retries != 1 {
		t.Errorf("policy %+v", got)
	}
	if ca := b.trusted.Load(); ca == nil || !strings.HasPrefix(*ca, "-----BEGIN CERTIFICATE-----") {
		t.Errorf("the client was told to trust %v", ca)
	}
	if _, _, err := target.Sender.Send(t.Context(), harness.Attempt{Operation: "checkout"}); !errors.Is(err, harness.ErrNotSent) {
		t.Errorf("a request to a target that is not there: %v", err)
	}
}

// gateway is an API that calls its dependency through net/http. It is pointed at
// us by a supervisor.
type gateway struct {
	upstream atomic.Pointer[string]
	released atomic.Bool
}

func (g *gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/attach" || strings.HasPrefix(r.URL.Path, "/attach/") {
		g.attach(w, r)
		return
	}
	_, item, _ := strings.Cut(r.URL.Path, "/catalog/")
	at := g.upstream.Load()
	if at == nil || r.Header.Get("Authorization") != "Bearer abcdefgh" {
		http.Error(w, "no", http.StatusServiceUnavailable)
		return
	}
	request, _ := http.NewRequestWithContext(r.Context(), r.Method, *at+"/items/"+item, r.Body)
	request.Header.Set("Idempotency-Key", r.Header.Get("Idempotency-Key"))
	response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(request)
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	defer func() { _ = response.Body.Close() }()
	w.WriteHeader(response.StatusCode)
	_, _ = io.Copy(w, response.Body)
}

func (g *gateway) attach(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodDelete {
		g.released.Store(true)
		return
	}
	var ask struct{ Dependencies map[string]string }
	if err := json.NewDecoder(r.Body).Decode(&ask); err == nil && r.URL.Path == "/attach" {
		at := ask.Dependencies["catalog"]
		g.upstream.Store(&at)
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"lease": "l", "upstream": map[string]string{"catalog": "http://127.0.0.1:1"}, "leaseMs": 60_000})
}

// TestGateway: a gateway is pointed at us, called by both of its operations, and
// given back.
func TestGateway(t *testing.T) {
	g := &gateway{}
	server := httptest.NewServer(g)
	defer server.Close()
	_, at := serveBare(t)
	p := load(t, `
target: {name: catalog, url: "`+server.URL+`"}
principals: {alice: {tenant: t1, header: {Authorization: "Bearer abcdefgh"}}, bob: {tenant: t1, header: {Authorization: "Bearer other"}}}
gateway: {path: "/catalog/{{sku}}", write: {path: "/catalog/{{sku}}", body: {count: 1}}, dependency: {attach: "`+server.URL+`/attach"}}
client: {shim: "`+at+`"}
`)
	t.Run("run", func(t *testing.T) {
		e, target := judged(t, p)
		if e.Run.Exit != harness.ExitGreen || !strings.Contains(e.Run.Control.Reason, "through the shim and through the gateway") {
			t.Errorf("exit %d, control %s, %+v", e.Run.Exit, e.Run.Control.Reason, e.Clauses)
		}
		if !slices.Contains(target.Info.Capabilities, harness.CapGateway) || len(e.Run.Principals) != 0 {
			t.Errorf("capabilities %v, principals %v", target.Info.Capabilities, e.Run.Principals)
		}
	})
	if !g.released.Load() {
		t.Error("the gateway was not given back")
	}
}

// TestShimThatIsNotThere: the error says what to do, and nothing else is opened.
func TestShimThatIsNotThere(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	_, err := Open(t.Context(), load(t, `
target: {name: c}
client: {shim: "`+server.URL+`"}
`), Options{})
	if err == nil || !strings.Contains(err.Error(), "ask the client's shim who it is: shim "+server.URL) || !strings.Contains(err.Error(), "start it, or correct client.shim") {
		t.Errorf("%v", err)
	}
}
