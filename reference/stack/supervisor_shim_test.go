package stack

import (
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/shim"
)

// opened returns the client of a stack as a run sees it.
func opened(t *testing.T, o Options) *shim.Client {
	t.Helper()
	c, err := shim.Open(t.Context(), start(t, o).ShimURL)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestTheClientOfTheReference(t *testing.T) {
	var seen atomic.Pointer[http.Request]
	peer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen.Store(r)
		if r.URL.Path == "/silent" {
			<-r.Context().Done()
			return
		}
		w.Header().Set("X-Own", "1")
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, "short")
	}))
	defer peer.Close()
	c := opened(t, Options{Scale: 20})
	info := c.Info()
	for _, capability := range []harness.Capability{harness.CapCancel, harness.CapFreshClient, harness.CapSocketStats,
		harness.CapTLSTrust, harness.CapDeclaredPolicy, harness.CapIdempotencyKey} {
		if !strings.Contains(strings.Join(names(info.Capabilities), " "), string(capability)) {
			t.Errorf("it does not offer %s: %v", capability, info.Capabilities)
		}
	}
	if p := c.Policy(); p.Total.Std() != 500*time.Millisecond || p.Retries != 2 || info.Backoff.Base.Std() != 10*time.Millisecond || info.Backoff.Jitter != "equal" {
		t.Errorf("it declares %+v, %+v", p, info.Backoff)
	}
	do := func(call harness.ClientCall) harness.Answer {
		t.Helper()
		_, answer, err := c.Call(t.Context(), call)
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	for _, fresh := range []bool{false, true} {
		got := do(harness.ClientCall{Method: "POST", URL: peer.URL + "/a?b=c", Header: [][2]string{{"X-A", "1"}, {"X-A", "2"}}, Body: []byte("x"),
			Key: "k", CorrelationID: "corr", Fresh: fresh})
		if got.Status != http.StatusTeapot || got.Outcome != "" || got.Body != "short" {
			t.Errorf("it returned %+v", got)
		}
		if r := seen.Load(); r.Method != "POST" || r.URL.String() != "/a?b=c" || len(r.Header["X-A"]) != 2 || r.Header.Get("Idempotency-Key") != "k" || r.Header.Get("X-Correlation-ID") != "corr" {
			t.Errorf("it sent %s %s %v", r.Method, r.URL, r.Header)
		}
	}
	if n, err := c.Sockets(t.Context()); err != nil || n != 1 {
		t.Errorf("it holds %d sockets, %v: one idle connection is due, for a fresh client leaves none", n, err)
	}
	if err := c.Reset(t.Context()); err != nil {
		t.Error(err)
	}
	await(t, "a reset leaves no socket", func() bool { n, err := c.Sockets(t.Context()); return err == nil && n == 0 })

	if got := do(harness.ClientCall{Method: "GET", URL: peer.URL + "/silent", CorrelationID: "late"}); got.Outcome != harness.OutcomeError ||
		got.Status != 504 || got.Code != "DEPENDENCY_TIMEOUT" || got.CorrelationID != "late" || !strings.Contains(got.Body, `"retryable":true`) {
		t.Errorf("a silent peer: %+v", got)
	}
	if got := do(harness.ClientCall{Method: "GET", URL: peer.URL + "/silent", CancelAfter: 20 * time.Millisecond}); got.Outcome != harness.OutcomeCancelled {
		t.Errorf("a cancelled call: %+v", got)
	}
	if got := do(harness.ClientCall{Method: "GET", URL: "nowhere"}); got.Outcome != harness.OutcomeError || got.Message == "" {
		t.Errorf("a call that cannot be sent: %+v", got)
	}
}

func names(list []harness.Capability) (names []string) {
	for _, c := range list {
		names = append(names, string(c))
	}
	return names
}

func TestTheClientTrustsWhomItIsTold(t *testing.T) {
	peer := httptest.NewUnstartedServer(http.NotFoundHandler())
	peer.Config.ErrorLog = log.New(io.Discard, "", 0) // it complains about callers who do not trust it
	peer.StartTLS()
	defer peer.Close()
	c := opened(t, Options{})
	call := harness.ClientCall{Method: "GET", URL: peer.URL}
	if _, got, err := c.Call(t.Context(), call); err != nil || got.Outcome != harness.OutcomeError || got.Status != 503 {
		t.Errorf("before: %+v, %v", got, err)
	}
	if err := c.Trust(t.Context(), []byte("nothing")); err == nil || !strings.Contains(err.Error(), "PEM") {
		t.Errorf("trusting nothing: %v", err)
	}
	if err := c.Trust(t.Context(), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: peer.Certificate().Raw})); err != nil {
		t.Fatal(err)
	}
	if _, got, err := c.Call(t.Context(), call); err != nil || got.Status != 404 {
		t.Errorf("after: %+v, %v", got, err)
	}
}
