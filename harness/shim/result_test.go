package shim_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/shim"
)

// answering serves a shim that answers every call with the same text.
func answering(t testing.TB, status int, text func(id string) string) *shim.Client {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/info" {
			_, _ = io.WriteString(w, `{"shim":1,"name":"x"}`)
			return
		}
		data, _ := io.ReadAll(r.Body)
		_, id, _ := strings.Cut(string(data), `"id":"`)
		id, _, _ = strings.Cut(id, `"`)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text(id))
	}))
	t.Cleanup(server.Close)
	c, err := shim.Open(t.Context(), server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestNoResult: what is not exactly one result is an error of the tool, and never
// an answer of the client.
func TestNoResult(t *testing.T) {
	for name, row := range map[string]struct {
		status       int
		result, says string // # is the id of the call
	}{
		"a refusal":       {500, `{"error":"the client is not there"}`, "it answered status 500: the client is not there"},
		"no JSON":         {200, `oops`, "not the JSON"},
		"nothing":         {200, ``, "not the JSON"},
		"another call":    {200, `{"id":"0","outcome":"response","status":200}`, `it answers call "0"`},
		"no outcome":      {200, `{"id":"#","status":200}`, `outcome ""`},
		"unknown outcome": {200, `{"id":"#","outcome":"timeout"}`, `outcome "timeout"`},
		"no status":       {200, `{"id":"#","outcome":"response"}`, "a response with status 0"},
		"no error":        {200, `{"id":"#","outcome":"error","status":503}`, "the member error is missing"},
		"null error":      {200, `{"id":"#","outcome":"error","error":null}`, "the member error is missing"},
		"no base64":       {200, `{"id":"#","outcome":"response","status":200,"bodyB64":"%"}`, "not the JSON"},
		"half a header":   {200, `{"id":"#","outcome":"response","status":200,"headers":[["a"]]}`, "a header line of 1 parts"},
		"text as status":  {200, `{"id":"#","outcome":"response","status":"200"}`, "not the JSON"},
	} {
		c := answering(t, row.status, func(id string) string { return strings.ReplaceAll(row.result, "#", id) })
		_, a, err := c.Call(t.Context(), harness.ClientCall{Method: "GET", URL: "http://127.0.0.1:1/"})
		if err == nil || errors.Is(err, harness.ErrNotSent) || !strings.Contains(err.Error(), row.says) || !strings.Contains(err.Error(), "/v1/call: ") || a.Status != 0 || a.Outcome != "" {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
	}
}

// TestErrorsOfWrongKinds: an error object keeps its members as they were sent, so
// that a judge sees the kinds that they have.
func TestErrorsOfWrongKinds(t *testing.T) {
	const object = `{"code":5,"retryable":"true","extra":[1]}`
	c := answering(t, 200, func(id string) string {
		return `{"id":"` + id + `","outcome":"error","error":` + object + `,"later":1}`
	})
	_, a, err := c.Call(t.Context(), harness.ClientCall{Method: "GET", URL: "http://127.0.0.1:1/"})
	if err != nil || a.Outcome != harness.OutcomeError || a.Body != object || a.Code != "" || a.Retryable != nil || !a.JSON {
		t.Errorf("%+v, %v", a, err)
	}
	c = answering(t, 200, func(id string) string { return `{"id":"` + id + `","outcome":"error","error":"oops"}` })
	if _, a, err := c.Call(t.Context(), harness.ClientCall{}); err != nil || a.JSON || a.Body != `"oops"` {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestBadCalls: a shim refuses what it cannot read, and nothing is called.
func TestBadCalls(t *testing.T) {
	server := httptest.NewServer(shim.Handler(scripted(nil), shim.Info{Name: "x"}))
	defer server.Close()
	for _, text := range []string{"{", `{"bodyB64":"%"}`, `{"headers":[["a","b"]],"fresh":"yes"}`, `[]`} {
		response, err := http.Post(server.URL+"/v1/call", "application/json", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: status %d", text, response.StatusCode)
		}
	}
	http.DefaultClient.CloseIdleConnections()
}
