package stack

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

// item asks the gateway for an item on behalf of alice.
func (r *running) item(sku string) (int, string, http.Header) {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), "GET", r.URL+"/catalog/"+sku, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+r.Tokens["alice"])
	resp, err := r.http.Do(req)
	if err != nil {
		r.t.Fatalf("%v\n%s", err, r.log)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return resp.StatusCode, string(body), resp.Header
}

func (r *running) metrics() string {
	r.t.Helper()
	resp, err := r.http.Get(r.ControlURL + "/metrics")
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		r.t.Fatalf("%d %s, %v", resp.StatusCode, text, err)
	}
	return string(text)
}

func TestTheGatewayOfTheReference(t *testing.T) {
	t.Parallel()
	r := start(t, Options{Command: command(roleReal), Instances: 2})
	if status, body, _ := r.item("canary-sku"); status != http.StatusOK || !strings.Contains(body, "canary-sku") {
		t.Fatalf("%d %s\n%s", status, body, r.log)
	}
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer refusing.Close()
	r.call("POST", r.ControlURL+"/attach", attachRequest{Dependencies: map[string]string{catalog: refusing.URL}, LeaseMs: maxLease.Milliseconds()}, nil)
	first := r.URL
	r.URL = "http://" + r.info().Instances[1].Addr // another process, the same store
	if status, _, header := r.item("canary-sku"); status != http.StatusOK || header.Get("X-Result-Source") != "fallback" {
		t.Errorf("with a stored result: %d %v\n%s", status, header, r.log)
	}
	r.URL = first

	for _, step := range []struct {
		path      string
		body, end map[string]any
	}{
		{"/clock", map[string]any{"offset": 3600}, map[string]any{"offset": 0}},
		{flagPath, map[string]any{"on": false}, map[string]any{"on": true}},
		{"/store", map[string]any{"mode": "cut"}, map[string]any{"mode": "open"}},
		{"/store", map[string]any{"mode": "stall"}, map[string]any{"mode": "open"}},
	} {
		r.mustSet(step.path, step.body)
		if status, body, _ := r.item("canary-sku"); status != http.StatusServiceUnavailable || !strings.Contains(body, "DEPENDENCY_UNAVAILABLE") {
			t.Errorf("%s %v: %d %s", step.path, step.body, status, body)
		}
		r.mustSet(step.path, step.end)
		if status, _, header := r.item("canary-sku"); status != http.StatusOK || header.Get("X-Result-Source") != "fallback" {
			t.Errorf("after %s %v: %d %v", step.path, step.end, status, header)
		}
	}

	text := r.metrics()
	for _, in := range r.info().Instances {
		if !strings.Contains(text, `feature_enabled{flag="resilience",instance="`+in.Addr+`"} 1`) {
			t.Errorf("nothing of %s in\n%s", in.Addr, text)
		}
	}
	if !strings.Contains(text, `fallback_served_total{dependency="catalog",instance="`+strings.TrimPrefix(first, "http://")+`"} 4`) {
		t.Errorf("served:\n%s", text)
	}
	file := r.info().Log
	log, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"msg":"attempt","dependency":"catalog"`, `"msg":"span","name":"GET catalog"`, `"parentSpanId"`} {
		if !strings.Contains(string(log), part) {
			t.Errorf("the log holds no %s", part)
		}
	}
	if all := string(log) + text + r.log.String(); strings.Contains(all, "canary") || strings.Contains(all, r.Tokens["alice"]) {
		t.Error("what callers sent shows in the log or in the metrics")
	}
	r.end()
	if _, err := os.Stat(file); err == nil {
		t.Error("the log outlives the stack")
	}
}
