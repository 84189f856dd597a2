package wire_test

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/wire"
)

func TestRoute(t *testing.T) {
	r := newRig(t, plain, nil)
	stub := newUpstream(t, "HTTP/1.1 503 Stubbed\r\nContent-Length: 0\r\n\r\n", nil)
	routed := r.Route("c", "charge", 2, stub.url()+"/stub/1", "payment/charge#2:stub:status(503)")
	caller := dial(t, r.Addr())
	status := func() harness.Call {
		caller.send(charge())
		return receive(t, r.calls, "the call")
	}
	first, second, third := status(), status(), status()
	if first.Status != 201 || second.Status != 503 || third.Status != 201 {
		t.Errorf("statuses %d, %d, %d", first.Status, second.Status, third.Status)
	}
	if second.Fault != "payment/charge#2:stub:status(503)" || first.Fault != "" || routed.Fired() != 1 {
		t.Errorf("the route fired %d times and left %+v", routed.Fired(), second)
	}
	receive(t, routed.FiredC(), "the route")
	if got := stub.requests(); len(got) != 1 || !strings.HasPrefix(got[0], "POST /stub/1/charges HTTP/1.1\r\n") {
		t.Errorf("the stub got %q", got)
	}
	every := r.Route("c", "", 0, stub.url(), "x")
	if call := status(); call.Status != 503 || call.Fault != "x" {
		t.Errorf("journal says %+v", call)
	}
	every.Lift()
	every.Lift()
	if call := status(); call.Status != 201 {
		t.Errorf("after the lift: %+v", call)
	}
}

func TestServerMode(t *testing.T) {
	seen := make(chan *http.Request, 10)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /charges", func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		seen <- req
		w.Header()["X-Echo"] = []string{string(body), "two"}
		w.WriteHeader(http.StatusEarlyHints)
		w.WriteHeader(http.StatusCreated)
		w.Header().Set("X-Late", "not sent")
		_, _ = io.WriteString(w, `{"a":1}`)
	})
	mux.HandleFunc("GET /panic", func(http.ResponseWriter, *http.Request) { panic("no") })
	mux.HandleFunc("GET /empty", func(http.ResponseWriter, *http.Request) {})
	r := newRig(t, plain, nil, func(c *wire.Config) { c.Upstream, c.Handler = "", mux })

	caller := dial(t, r.Addr())
	caller.send(charge("Idempotency-Key: \x80", "Idempotency-Key: b", "X-Oncecheck-Case: nobody"))
	caller.expect("HTTP/1.1 201 Created\r\nContent-Type: text/plain; charset=utf-8\r\nX-Echo: body\r\nX-Echo: two\r\nContent-Length: 7\r\n\r\n{\"a\":1}")
	req := receive(t, seen, "the request")
	if keys := req.Header.Values("Idempotency-Key"); len(keys) != 2 || keys[0] != "\x80" || req.Host != "x" || req.Header.Get("X-Oncecheck-Case") != "" {
		t.Errorf("the handler got host %q and header %q", req.Host, req.Header)
	}
	if call := receive(t, r.calls, "the call"); call.Upstream != 201 || call.Forwarded == 0 || call.Answered == 0 {
		t.Errorf("journal says %+v", call)
	}
	caller.send("GET /empty HTTP/1.1\r\n\r\n")
	caller.expect("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
	caller.send("GET /panic HTTP/1.1\r\nX-Oncecheck-Case: c\r\nConnection: close\r\n\r\n")
	if got, _ := caller.rest(); !strings.HasPrefix(got, "HTTP/1.1 502 ") {
		t.Errorf("caller got %q", got)
	}
	if call := receive(t, r.calls, "the call"); call.Outcome != harness.CallUpstream {
		t.Errorf("journal says %+v", call)
	}
	r.inject(t, "payment/charge#2:before-forward:duplicate")
	again := dial(t, r.Addr())
	again.send(charge())
	receive(t, seen, "the first copy")
	receive(t, seen, "the second copy")
}

func TestTLSUpstream(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		_, _ = io.WriteString(w, req.Proto+" "+req.Header.Get("Reference"))
	}))
	defer server.Close()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	trusting := newRig(t, plain, nil, func(c *wire.Config) {
		c.Upstream, c.TLS = server.URL, &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	})
	caller := dial(t, trusting.Addr())
	caller.send(charge("Connection: close"))
	if got, _ := caller.rest(); !strings.HasSuffix(got, "\r\n\r\nHTTP/1.1 ref-c") {
		t.Errorf("caller got %q", got)
	}
	doubting := newRig(t, plain, nil, func(c *wire.Config) { c.Upstream = server.URL })
	caller = dial(t, doubting.Addr())
	caller.send(charge("Connection: close"))
	if got, _ := caller.rest(); !strings.HasPrefix(got, "HTTP/1.1 502 ") {
		t.Errorf("caller got %q from a server that nobody vouches for", got)
	}
}

// TestGoClient makes sure that an ordinary client and server agree with us.
func TestGoClient(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		_, _ = io.Copy(w, req.Body)
		_ = http.NewResponseController(w).Flush() // makes the answer chunked
	}))
	defer server.Close()
	r := newRig(t, plain, nil, func(c *wire.Config) { c.Upstream = server.URL })
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	big := strings.Repeat("x", 3<<20)
	for range 3 {
		res, err := (&http.Client{Transport: transport}).Post(r.URL()+"/charges", "text/plain", io.MultiReader(strings.NewReader(big)))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil || string(body) != big || res.ContentLength != int64(len(big)) {
			t.Errorf("got %d bytes, %v", len(body), err)
		}
	}
}

// BenchmarkForward measures one exchange through a link, upstream connection
// included, against an upstream in the same process.
func BenchmarkForward(b *testing.B) {
	r := newRig(b, plain, nil)
	go func() {
		for range r.up.arrived { // ends with the test binary's upstream
		}
	}()
	b.Cleanup(func() { close(r.up.arrived) })
	caller := dial(b, r.Addr())
	request := "POST /charges HTTP/1.1\r\nReference: nobody\r\nContent-Length: 0\r\n\r\n"
	b.ReportAllocs()
	for b.Loop() {
		caller.send(request)
		caller.expect(plain)
	}
}
