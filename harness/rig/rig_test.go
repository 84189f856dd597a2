package rig

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/profile"
)

// TestMain doubles as the command that [Launch] starts.
func TestMain(m *testing.M) {
	switch os.Getenv("RIG_TEST_LAUNCHED") {
	case "serves":
		if err := os.WriteFile(os.Args[1], []byte("x"), 0o600); err != nil {
			os.Exit(1)
		}
		_, _ = io.Copy(io.Discard, os.Stdin)
		return
	case "dies":
		_, _ = os.Stderr.WriteString("the port is taken\n")
		os.Exit(3)
	}
	goleak.VerifyTestMain(m)
}

func load(t *testing.T, text string) *profile.Profile {
	t.Helper()
	p, err := profile.Parse("profile.yaml", []byte(text), func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func profileOf(url, rest string) string {
	return `
target: {name: x, url: "` + url + `"}
principals: {alice: {tenant: t1, header: {Authorization: "Bearer a-long-secret"}}}
checkout: {method: POST, path: /checkout, body: {cartId: "{{cart}}", amount: "{{amount}}"}}
` + rest
}

func attempt() harness.Attempt {
	return harness.Attempt{Operation: harness.OpCheckout, Principal: "alice", Keys: []string{"k"}, CaseID: "c/1", CorrelationID: "corr",
		Vars: map[string]any{"cart": "cart-1", "amount": int64(7)}}
}

func TestTheCallerReachesTheTargetThroughTheLink(t *testing.T) {
	seen := make(chan *http.Request, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen <- r
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"requestId":"r1"}`)
	}))
	defer server.Close()
	r, err := Open(t.Context(), load(t, profileOf(server.URL, "")), Options{UserAgent: "oncecheck/test"})
	if err != nil {
		t.Fatal(err)
	}
	calls := make(chan harness.Call, 1)
	stop := r.Target.Journal.Follow("c/1", []string{"c/1"}, func(c harness.Call) { calls <- c })
	_, answer, err := r.Target.Sender.Send(t.Context(), attempt())
	if err != nil || answer.Status != 201 || answer.RequestID != "r1" {
		t.Fatalf("%+v, %v", answer, err)
	}
	got := <-seen
	if got.Header.Get("X-Oncecheck-Case") != "" || got.Header.Get("X-Oncecheck-Case-Id") != "c/1" || got.Header.Get("Idempotency-Key") != "k" || got.Header.Get("Authorization") != "Bearer a-long-secret" || got.Header.Get("X-Correlation-ID") != "corr" {
		t.Errorf("the target saw %v", got.Header)
	}
	if c := <-calls; c.Link != harness.LinkClient || c.Operation != harness.OpCheckout || c.Upstream != 201 || c.CorrelationID != "corr" || c.Key != "k" {
		t.Errorf("the journal says %+v", c)
	}
	stop()

	// A target that is gone is told apart from one that answers 502.
	server.Close()
	if _, _, err := r.Target.Sender.Send(t.Context(), attempt()); !errors.Is(err, harness.ErrNotSent) {
		t.Errorf("the target is gone: %v", err)
	}
	if err := r.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if names := r.Target.Secrets; names["principal:alice"] != "a-long-secret" {
		t.Error("the credential is not known as a secret")
	}
}

// TestATargetThatDropsTheConnection: no answer is no answer, and the outcome is
// unknown.
func TestATargetThatDropsTheConnection(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	defer server.Close()
	r, err := Open(t.Context(), load(t, profileOf(server.URL, "")), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close(t.Context()) }()
	_, answer, err := r.Target.Sender.Send(t.Context(), attempt())
	if err == nil || errors.Is(err, harness.ErrNotSent) || answer.Status != 0 {
		t.Errorf("%+v, %v", answer, err)
	}
}

func TestWhatCannotBeOpened(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for name, row := range map[string]struct{ text, says string }{
		"a closed port":      {profileOf(gone.URL, ""), "start it, or correct target.url"},
		"a remote host":      {profileOf("http://192.0.2.1", ""), "owned"},
		"a dsn of no kind":   {profileOf(server.URL, "effects: {sql: {dsn: x, query: select 1}, perSuccess: {order: 1}}"), "must begin with postgres://"},
		"SQL that writes":    {profileOf(server.URL, "effects: {sql: {dsn: \"sqlite:x\", query: delete from orders}, perSuccess: {order: 1}}"), "is no SELECT"},
		"a jq that is wrong": {profileOf(server.URL, "effects: {http: {url: \"http://127.0.0.1:1/l\", jq: \".[\"}, perSuccess: {order: 1}}"), "jq"},
		"a provider fake":    {profileOf(server.URL, "dependencies: {payment: {listen: \"127.0.0.1:0\", fake: provider, operations: {charge: {path: /charges, effect: charge}}, attribute: .reference}}"), "upstream"},
		"nobody to attach":   {profileOf(server.URL, "dependencies: {payment: {attach: \""+gone.URL+"/attach\", operations: {charge: {path: /charges, effect: charge}}, attribute: .reference}}"), "attach the dependencies"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := profile.Parse("p.yaml", []byte(row.text), os.LookupEnv)
			if err == nil {
				var r *Rig
				if r, err = Open(t.Context(), p, Options{}); err == nil {
					_ = r.Close(t.Context())
				}
			}
			if err == nil || !strings.Contains(err.Error(), row.says) {
				t.Errorf("got %v, want %q", err, row.says)
			}
		})
	}
}

func TestLaunch(t *testing.T) {
	t.Setenv("RIG_TEST_LAUNCHED", "serves")
	l, err := Launch(t.Context(), os.Args[0], "{profile}")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(l.Profile); err != nil {
		t.Error(err)
	}
	if err := l.Stop(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Dir(l.Profile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder of the launched target stayed: %v", err)
	}
}

func TestLaunchThatDies(t *testing.T) {
	t.Setenv("RIG_TEST_LAUNCHED", "dies")
	if _, err := Launch(t.Context(), os.Args[0], "{profile}"); err == nil || !strings.Contains(err.Error(), "the port is taken") {
		t.Errorf("got %v, want what the command said last", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	t.Setenv("RIG_TEST_LAUNCHED", "serves")
	if l, err := Launch(ctx, os.Args[0], filepath.Join(t.TempDir(), "elsewhere")); err == nil {
		_ = l.Stop()
		t.Error("a launch that was cancelled succeeded")
	}
	if _, err := Launch(t.Context(), filepath.Join(t.TempDir(), "no-such-command")); err == nil {
		t.Error("a command that does not exist was launched")
	}
}
