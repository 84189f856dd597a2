package shim

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

// FuzzResult: whatever a shim answers is an error of the tool or one outcome of
// the client, and an outcome is never made up.
func FuzzResult(f *testing.F) {
	for _, seed := range []string{
		`{"id":"1","outcome":"response","status":200,"headers":[["a","b"]],"bodyB64":"YQ=="}`,
		`{"id":"1","outcome":"error","status":503,"error":{"code":"C","retryable":true}}`,
		`{"id":"1","outcome":"cancelled"}`, `{"id":"1"}`, `{}`, `null`, `[]`, `{"id":"1","outcome":"response","status":1e3}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var r returned
		if json.Unmarshal(data, &r) != nil {
			return
		}
		a, err := r.answer("1")
		if err != nil {
			if a.Status != 0 || a.Outcome != "" || a.Body != "" {
				t.Fatalf("an answer beside the error %v: %+v", err, a)
			}
			return
		}
		switch {
		case r.ID != "1":
			t.Fatal("the result of another call was taken")
		case a.Outcome == "" && (r.Outcome != OutcomeResponse || a.Status < 100):
			t.Fatalf("a response was made up: %+v", a)
		case a.Outcome == harness.OutcomeError && r.Outcome != OutcomeError, a.Outcome == harness.OutcomeCancelled && r.Outcome != OutcomeCancelled:
			t.Fatalf("an outcome was made up: %+v", a)
		case len(a.Body) > keptBody || len(a.BodySHA256) != 64:
			t.Fatalf("body: %d bytes, hash %q", len(a.Body), a.BodySHA256)
		}
	})
}

// FuzzCall: whatever is sent to a shim is refused or read, and a call that was
// read can be written again.
func FuzzCall(f *testing.F) {
	f.Add(`{"id":"1","fresh":true,"method":"POST","url":"http://127.0.0.1:1/","headers":[["a","b"]],"bodyB64":"YQ==","idempotencyKey":"k","principal":{"name":"p","header":{"a":"b"}},"deadlineMs":5,"cancelAfterMs":-1}`)
	f.Add(`{"headers":null,"deadlineMs":1e99}`)
	f.Fuzz(func(t *testing.T, text string) {
		call, err := read[Call](strings.NewReader(text))
		if err != nil {
			return
		}
		data, err := json.Marshal(call)
		if err != nil {
			t.Fatal(err)
		}
		again, err := read[Call](strings.NewReader(string(data)))
		if err != nil || again.URL != call.URL || string(again.Body) != string(call.Body) || len(again.Headers) != len(call.Headers) {
			t.Fatalf("%+v became %+v, %v", call, again, err)
		}
		if r, err := call.Request(t.Context()); err == nil && r.URL == nil {
			t.Fatal("a request without a URL")
		}
	})
}
