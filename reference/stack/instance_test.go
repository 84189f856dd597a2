package stack

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/reference/auth"
)

func instanceConfig(t *testing.T) InstanceConfig {
	t.Helper()
	dir := t.TempDir()
	return InstanceConfig{
		Addr:    "127.0.0.1:0",
		Store:   "sqlite:" + filepath.Join(dir, "checkout.db"),
		Secret:  strings.Repeat("s", 32),
		LogFile: filepath.Join(dir, "log.jsonl"),
	}
}

func TestInstanceNamesWhatIsWrong(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*InstanceConfig)
		says   string
	}{
		"store":    {func(c *InstanceConfig) { c.Store = "mysql:x" }, "sqlite:PATH"},
		"folder":   {func(c *InstanceConfig) { c.Store += "/missing/x" }, "missing"},
		"secret":   {func(c *InstanceConfig) { c.Secret = "short" }, "at least 32"},
		"webhooks": {func(c *InstanceConfig) { c.Webhooks = "no base64!" }, "webhooks"},
		"guessed":  {func(c *InstanceConfig) { c.Webhooks = "whsec_c2hvcnQ=" }, "can be guessed"},
		"dialect":  {func(c *InstanceConfig) { c.Dialect = "klingon" }, "klingon"},
		"scale":    {func(c *InstanceConfig) { c.Scale = -1 }, "negative"},
		"mutant":   {func(c *InstanceConfig) { c.Mutant = "no-such-sin" }, "no-such-sin"},
		"log":      {func(c *InstanceConfig) { c.LogFile = t.TempDir() }, "log"},
		"address":  {func(c *InstanceConfig) { c.Addr = "127.0.0.1:none" }, "127.0.0.1:none"},
		"socket":   {func(c *InstanceConfig) { c.ListenFD = 1 << 20 }, "1048576"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := instanceConfig(t)
			tc.change(&cfg)
			err := RunInstance(t.Context(), cfg, func(string, string) { t.Error("ready") })
			if err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Fatalf("got %v, want it to say %q", err, tc.says)
			}
		})
	}
}

// running starts an instance and returns its addresses and what ends it.
func runningInstance(t *testing.T, cfg InstanceConfig) (addr, admin string, end func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ready, done := make(chan [2]string, 1), make(chan error, 1)
	go func() { done <- RunInstance(ctx, cfg, func(addr, admin string) { ready <- [2]string{addr, admin} }) }()
	select {
	case at := <-ready:
		return at[0], at[1], func() error { cancel(); return <-done }
	case err := <-done:
		cancel()
		t.Fatal(err)
		return "", "", nil
	}
}

func request(t *testing.T, method, url, body, token string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Idempotency-Key", "k")
	return r
}

func answered(t *testing.T, r *http.Request) int {
	t.Helper()
	resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}

func TestAdminListener(t *testing.T) {
	_, admin, end := runningInstance(t, instanceConfig(t))
	for _, tc := range []struct {
		method, path, body string
		want               int
	}{
		{"GET", "/healthz", "", http.StatusNoContent},
		{"PUT", "/dependencies", `{"payment":"http://127.0.0.1:1","bank":"http://127.0.0.1:1","inventory":"http://127.0.0.1:1","orders":"http://127.0.0.1:1","catalog":"http://127.0.0.1:1"}`, http.StatusNoContent},
		{"GET", "/settings", "", http.StatusOK},
		{"PUT", "/settings", `{"clockOffset":5,"flags":{"resilience":false},"store":{"mode":"slow","delayMs":1}}`, http.StatusNoContent},
		{"PUT", "/settings", `{"flags":{"antigravity":true}}`, http.StatusBadRequest},
		{"PUT", "/settings", `{"store":{"mode":"gone"}}`, http.StatusBadRequest},
		{"PUT", "/settings", `[]`, http.StatusBadRequest},
		{"GET", "/metrics", "", http.StatusOK},
		{"PUT", "/dependencies", `{"payment":"http://127.0.0.1:1"}`, http.StatusBadRequest},
		{"PUT", "/dependencies", `[]`, http.StatusBadRequest},
	} {
		if got := answered(t, request(t, tc.method, "http://"+admin+tc.path, tc.body, "")); got != tc.want {
			t.Errorf("%s %s %s: %d, want %d", tc.method, tc.path, tc.body, got, tc.want)
		}
	}
	if err := end(); err != nil {
		t.Fatal(err)
	}
}

// An instance that has to end does not wait for a silent dependency.
func TestInstanceEndsWithACheckoutUnderWay(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(arrived)
		<-release
	}))
	defer silent.Close()
	defer close(release)
	cfg := instanceConfig(t)
	cfg.Dependencies = map[string]string{"payment": silent.URL, "inventory": silent.URL, "orders": silent.URL, "catalog": silent.URL}
	addr, _, end := runningInstance(t, cfg)
	tokens, err := auth.New(cfg.Secret, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	token, err := tokens.Mint(auth.Principal{Tenant: "t1", Subject: "alice"}, time.Now().Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	status := make(chan int, 1)
	go func() {
		r := request(t, "POST", "http://"+addr+"/checkout",
			`{"cartId":"c","cartVersion":1,"currency":"EUR","amount":1,"paymentToken":"tok_ok"}`, token)
		status <- answered(t, r)
	}()
	<-arrived
	if err := end(); err != nil {
		t.Fatal(err)
	}
	if got := <-status; got != http.StatusServiceUnavailable {
		t.Fatalf("the caller got %d, want 503", got)
	}
}

func TestLogIsRedacted(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{ReplaceAttr: redactor()}))
	log.Info("pay with 4111 1111 1111 1111", "paymentToken", "canary", "Authorization", "canary",
		"error", http.ErrBodyNotAllowed, "text", "got tok_canary and eyJcanary.x.y", "requestId", "ABC", "attempt", 3)
	got := out.String()
	for _, s := range []string{"canary", "4111"} {
		if strings.Contains(got, s) {
			t.Errorf("the log shows %q: %s", s, got)
		}
	}
	for _, s := range []string{`"requestId":"ABC"`, `"attempt":3`, http.ErrBodyNotAllowed.Error()} {
		if !strings.Contains(got, s) {
			t.Errorf("the log lost %q: %s", s, got)
		}
	}
}
