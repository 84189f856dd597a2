package shim_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/shim"
)

// failure is an error that says all that an error can.
type failure struct{}

func (failure) Error() string         { return "the dependency is not available" }
func (failure) Code() string          { return "DEPENDENCY_UNAVAILABLE" }
func (failure) HTTPStatus() int       { return 503 }
func (failure) Retryable() bool       { return true }
func (failure) CorrelationID() string { return "corr-1" }

// TestPlainClient: a real client behind a shim sends what the call says and hands
// back what it got.
func TestPlainClient(t *testing.T) {
	var got *http.Request
	var body string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		got, body = r, string(data)
		w.Header().Add("X-Two", "a")
		w.Header().Add("X-Two", "b")
		w.Header().Set("Retry-After", "3")
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, `{"ok":true}`+strings.Repeat(" ", 20<<10)+"\x00\xff")
	}))
	defer server.Close()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	c := open(t, plain{&http.Client{Transport: transport}}, shim.Info{Name: "net/http"})
	c.As(map[string]shim.Principal{"alice": {Name: "alice", Tenant: "t1", Header: map[string]string{"Authorization": "Bearer secret"}}})
	for _, fresh := range []bool{false, true} {
		sent, a, err := c.Call(t.Context(), harness.ClientCall{Method: "PUT", URL: server.URL + "/x/y?z=1", Header: [][2]string{{"X-A", "1"}, {"X-A", "2"}},
			Body: []byte("\x00bytes"), Key: "key-1", CorrelationID: "corr-1", Principal: "alice", Fresh: fresh})
		if err != nil {
			t.Fatal(err)
		}
		if got.Method != "PUT" || got.RequestURI != "/x/y?z=1" || body != "\x00bytes" || strings.Join(got.Header["X-A"], " ") != "1 2" ||
			got.Header.Get("Idempotency-Key") != "key-1" || got.Header.Get("X-Correlation-Id") != "corr-1" || got.Header.Get("Authorization") != "Bearer secret" {
			t.Errorf("the dependency got %+v with %q", got, body)
		}
		if sent.Path != "/x/y?z=1" || sent.Method != "PUT" || sent.Tenant != "t1" || sent.Principal != "alice" || len(sent.BodySHA256) != 64 {
			t.Errorf("sent: %+v", sent)
		}
		if a.Outcome != "" || a.Status != 202 || strings.Join(a.Header["X-Two"], " ") != "a b" || a.RetryAfter != "3" || a.BodyBytes != 11+20<<10+2 || a.JSON || len(a.Body) != 16<<10 {
			t.Errorf("answer: %+v", a)
		}
	}
}

// TestErrors: what a client's error says arrives as an answer of its own kind.
func TestErrors(t *testing.T) {
	var err error
	c := open(t, scripted(func(ctx context.Context, _ shim.Call) shim.Result { return shim.Failed(ctx, err) }), shim.Info{Name: "x"})
	err = fmt.Errorf("call: %w", failure{})
	_, a, callErr := c.Call(t.Context(), harness.ClientCall{Method: "GET", URL: "http://127.0.0.1:1/"})
	if callErr != nil || a.Outcome != harness.OutcomeError || a.Status != 503 || a.Code != "DEPENDENCY_UNAVAILABLE" || a.Retryable == nil || !*a.Retryable || a.CorrelationID != "corr-1" || !a.JSON ||
		a.Body != `{"code":"DEPENDENCY_UNAVAILABLE","message":"call: the dependency is not available","correlationId":"corr-1","retryable":true}` {
		t.Errorf("%+v, %v", a, callErr)
	}
	err = errors.New("no such host")
	if _, a, _ := c.Call(t.Context(), harness.ClientCall{Method: "GET", URL: "http://127.0.0.1:1/"}); a.Outcome != harness.OutcomeError || a.Status != 0 || a.Code != "" || a.Message != "no such host" {
		t.Errorf("an error that says little: %+v", a)
	}
}

// TestPanic: a client that panics has an outcome, which is no success.
func TestPanic(t *testing.T) {
	c := open(t, scripted(func(context.Context, shim.Call) shim.Result { panic("index out of range") }), shim.Info{Name: "x"})
	_, a, err := c.Call(t.Context(), harness.ClientCall{Method: "GET", URL: "http://127.0.0.1:1/"})
	if err != nil || a.Outcome != harness.OutcomeError || a.Code != shim.CodePanic || !strings.Contains(a.Message, "index out of range") {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestLimitsOfTheCaller: the handler turns the caller's cancelling and its
// deadline into the context of the call, so that no client has to.
func TestLimitsOfTheCaller(t *testing.T) {
	waits := scripted(func(ctx context.Context, _ shim.Call) shim.Result {
		<-ctx.Done()
		return shim.Failed(ctx, ctx.Err())
	})
	c := open(t, waits, shim.Info{Name: "x"})
	for name, row := range map[string]struct {
		call    harness.ClientCall
		outcome string
	}{
		"cancelled before it begins": {harness.ClientCall{CancelAfter: -1}, harness.OutcomeCancelled},
		"cancelled at once":          {harness.ClientCall{CancelAfter: 1}, harness.OutcomeCancelled},
		"cancelled in its deadline":  {harness.ClientCall{CancelAfter: time.Millisecond, Deadline: time.Hour}, harness.OutcomeCancelled},
		"out of time":                {harness.ClientCall{Deadline: time.Millisecond}, harness.OutcomeError},
		"out of time before that":    {harness.ClientCall{Deadline: time.Millisecond, CancelAfter: time.Hour}, harness.OutcomeError},
	} {
		_, a, err := c.Call(t.Context(), row.call)
		if err != nil || a.Outcome != row.outcome {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
	}
	// A cancelled context that the client takes for a fault of its own is its error.
	c = open(t, scripted(func(ctx context.Context, _ shim.Call) shim.Result {
		<-ctx.Done()
		return shim.Failed(ctx, failure{})
	}), shim.Info{Name: "x"})
	if _, a, err := c.Call(t.Context(), harness.ClientCall{CancelAfter: -1}); err != nil || a.Outcome != harness.OutcomeError || a.Status != 503 {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestCancelledPlainClient: a real client that was cancelled says so in its own
// words, and they are understood.
func TestCancelledPlainClient(t *testing.T) {
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer server.Close()
	defer close(release)
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	c := open(t, plain{&http.Client{Transport: transport}}, shim.Info{Name: "net/http"})
	for _, after := range []time.Duration{-1, time.Millisecond, 50 * time.Millisecond} {
		_, a, err := c.Call(t.Context(), harness.ClientCall{Method: "GET", URL: server.URL, CancelAfter: after})
		if err != nil || a.Outcome != harness.OutcomeCancelled {
			t.Errorf("after %v: %+v, %v", after, a, err)
		}
	}
	_, a, err := c.Call(t.Context(), harness.ClientCall{Method: "GET", URL: server.URL, Deadline: 50 * time.Millisecond})
	if err != nil || a.Outcome != harness.OutcomeError {
		t.Errorf("out of time: %+v, %v", a, err)
	}
}

// TestGivingUp: when the harness loses patience the call's context ends, too.
func TestGivingUp(t *testing.T) {
	ended := make(chan error, 1)
	ctx, cancel := context.WithCancelCause(t.Context())
	c := open(t, scripted(func(ctx context.Context, _ shim.Call) shim.Result {
		cancel(errors.New("patience is over"))
		<-ctx.Done()
		ended <- ctx.Err()
		return shim.Failed(ctx, ctx.Err())
	}), shim.Info{Name: "x"})
	_, _, err := c.Call(ctx, harness.ClientCall{Method: "GET", URL: "http://127.0.0.1:1/"})
	if err == nil || errors.Is(err, harness.ErrNotSent) || !strings.Contains(err.Error(), "patience is over") {
		t.Errorf("%v", err)
	}
	if <-ended == nil {
		t.Error("the call went on")
	}
}
