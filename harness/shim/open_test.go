package shim_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/shim"
)

// everything offers all that a caller can.
type everything struct {
	scripted
	seeded   shim.Seed
	trusted  string
	resolver string
	reset    int
}

func (e *everything) Seed(_ context.Context, s shim.Seed) error { e.seeded = s; return nil }
func (e *everything) Reset(context.Context) error               { e.reset++; return nil }
func (e *everything) Trust(_ context.Context, caPEM []byte) error {
	e.trusted = string(caPEM)
	return nil
}
func (e *everything) Resolve(_ context.Context, address string) error {
	e.resolver = address
	return nil
}
func (e *everything) Sockets(context.Context) (int, error)    { return 7, nil }
func (e *everything) Logs(context.Context) ([]byte, error)    { return []byte("line\n"), nil }
func (e *everything) Metrics(context.Context) ([]byte, error) { return nil, errors.New("not today") }

func TestDeclarations(t *testing.T) {
	e := &everything{}
	c := open(t, e, shim.Info{Name: "x", Version: "2", Capabilities: []string{"cancel", "unheard-of", "checkout", "declared-policy"},
		Policy: &shim.Policy{ConnectMs: 1000, ReadMs: 2000, TotalMs: 4000, MaxRetries: 0, BaseMs: 100, CapMs: 900, Jitter: "full"}})
	info := c.Info()
	want := []harness.Capability{"cancel", "declared-policy", "fallback-seed", "tls-trust", "resolver", "socket-stats", "logs", "metrics"}
	if info.Name != "x" || info.Version != "2" || !slices.Equal(info.Capabilities, want) {
		t.Errorf("%+v, want %v", info, want)
	}
	ms := func(n int) harness.Duration { return harness.Duration(time.Duration(n) * time.Millisecond) }
	if info.Backoff != (harness.Backoff{Base: ms(100), Cap: ms(900), Jitter: "full"}) {
		t.Errorf("%+v", info.Backoff)
	}
	if got, want := c.Policy(), (harness.ClientPolicy{Connect: ms(1000), Read: ms(2000), Total: ms(4000)}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	ctx := t.Context()
	if err := errors.Join(c.Seed(ctx, shim.Seed{Method: "GET", URL: "http://x", Status: 200, Body: []byte("a")}), c.Reset(ctx), c.Trust(ctx, []byte("pem")), c.Resolve(ctx, "127.0.0.1:53")); err != nil {
		t.Error(err)
	}
	if e.seeded.Status != 200 || string(e.seeded.Body) != "a" || e.reset != 1 || e.trusted != "pem" || e.resolver != "127.0.0.1:53" {
		t.Errorf("%+v", e)
	}
	if n, err := c.Sockets(ctx); n != 7 || err != nil {
		t.Errorf("%d sockets, %v", n, err)
	}
	if log, err := c.Logs(ctx); string(log) != "line\n" || err != nil {
		t.Errorf("%q, %v", log, err)
	}
	if _, err := c.Metrics(ctx); err == nil || !strings.Contains(err.Error(), "/v1/metrics: it answered status 500: not today") {
		t.Errorf("%v", err)
	}
}

// TestNothingDeclared: a client that says nothing of its numbers is held to those
// that the requirements name.
func TestNothingDeclared(t *testing.T) {
	c := open(t, scripted(nil), shim.Info{Name: "x"})
	if c.Policy() != harness.RequiredPolicy().Client || len(c.Info().Capabilities) != 0 || c.Info().Backoff != (harness.Backoff{}) {
		t.Errorf("%+v %+v", c.Policy(), c.Info())
	}
	if err := c.Reset(t.Context()); err == nil || !strings.Contains(err.Error(), "status 404") {
		t.Errorf("what is not offered: %v", err)
	}
}

// TestNoShim: whatever does not speak the protocol is refused, with its URL and
// what is wrong.
func TestNoShim(t *testing.T) {
	for name, row := range map[string]struct {
		status       int
		answer, says string
	}{
		"a page":           {200, "<html>", "not the JSON that the protocol asks for"},
		"another version":  {200, `{"shim":2,"name":"x"}`, "version 2 of the protocol"},
		"no version":       {200, `{"name":"x"}`, "version 0 of the protocol"},
		"nameless":         {200, `{"shim":1}`, "the member name is missing"},
		"negative":         {200, `{"shim":1,"name":"x","policy":{"readMs":-1}}`, "a negative number"},
		"jitter":           {200, `{"shim":1,"name":"x","policy":{"jitter":"some"}}`, `jitter "some"`},
		"half declared":    {200, `{"shim":1,"name":"x","policy":{"readMs":1,"totalMs":2,"capMs":3},"capabilities":["declared-policy"]}`, "claims declared-policy and leaves out connectMs, baseMs, jitter"},
		"nothing declared": {200, `{"shim":1,"name":"x","capabilities":["declared-policy"]}`, "leaves out connectMs, readMs"},
		"not found":        {404, "404 page not found\n", "it answered status 404: 404 page not found"},
		"a redirect":       {302, "", "it answered status 302"},
		"an error":         {500, `{"error":"no client"}`, "it answered status 500: no client"},
		"wrong kinds":      {200, `{"shim":1,"name":5}`, "not the JSON that the protocol asks for"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(row.status)
			_, _ = io.WriteString(w, row.answer)
		}))
		_, err := shim.Open(t.Context(), server.URL)
		if err == nil || !strings.Contains(err.Error(), row.says) || !strings.Contains(err.Error(), "shim "+server.URL+"/v1/info: ") {
			t.Errorf("%s: %v", name, err)
		}
		server.Close()
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	if _, err := shim.Open(t.Context(), "http://"+l.Addr().String()); !errors.Is(err, harness.ErrNotSent) {
		t.Errorf("nobody there: %v", err)
	}
}
