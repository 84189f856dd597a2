package client

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
)

func TestRetryableIsTrue(t *testing.T) {
	busy := status("503 Busy")
	once := Request{Method: "POST", URL: "http://peer/"}
	synctest.Test(t, func(t *testing.T) {
		for name, tc := range map[string]struct {
			answer    func(int, *http.Request, io.Writer) bool
			transient bool
		}{
			"429":           {always(status("429 Slow")), true},
			"429 for long":  {always(status("429 Slow", "Retry-After: 30")), true},
			"503":           {always(busy), true},
			"reset":         {script(""), true},
			"timeout":       {silent, true},
			"no length":     {script("HTTP/1.1 201 Created\r\n\r\n{}", ""), false},
			"other than us": {always("HTTP/1.1 101 Switch\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"), false},
		} {
			for _, req := range []Request{once, post(), {Method: "DELETE", URL: "http://peer/"}} {
				_, err := newClient(t, &peer{answer: tc.answer}).Do(t.Context(), req)
				var failure *Error
				if !errors.As(err, &failure) || failure.Retryable != (tc.transient && Repeatable(req)) {
					t.Errorf("%s, %s with key %q: %v, retryable %v", name, req.Method, req.Key, err, failure.Retryable)
				}
			}
		}
	})
}

func TestErrorObject(t *testing.T) {
	type end struct {
		answer func(int, *http.Request, io.Writer) bool
		status int
		object string
	}
	for _, tc := range []end{
		{always(status("503 Busy")), 503, `{"code":"DEPENDENCY_UNAVAILABLE","message":"the dependency is not available","correlationId":"c1","retryable":true}`},
		{silent, 504, `{"code":"DEPENDENCY_TIMEOUT","message":"the dependency did not answer in time","correlationId":"c1","retryable":true}`},
		{nil, 499, `{"code":"REQUEST_CANCELLED","message":"the call was cancelled before the dependency had answered","correlationId":"c1","retryable":false}`},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if tc.answer == nil {
				cancel()
			}
			_, err := newClient(t, &peer{answer: tc.answer}).Do(ctx, post())
			var failure *Error
			if !errors.As(err, &failure) || failure.Status != tc.status {
				t.Fatalf("got %+v, want status %d", failure, tc.status)
			}
			if got, err := json.Marshal(failure); err != nil || string(got) != tc.object {
				t.Errorf("got %s, %v; want %s", got, err, tc.object)
			}
		})
	}
}

// What is secret, or was said by somebody else, is not in an error's text.
func TestErrorsRepeatNothing(t *testing.T) {
	const canary = "canary"
	synctest.Test(t, func(t *testing.T) {
		for name, raw := range map[string]string{
			"body of a 503":  "HTTP/1.1 503 canary\r\nX-A: canary\r\nContent-Length: 6\r\n\r\ncanary",
			"no HTTP":        "canary canary canary\r\n\r\n",
			"bad header":     "HTTP/1.1 200 OK\r\ncanary canary\r\n\r\n",
			"bad length":     "HTTP/1.1 200 OK\r\nContent-Length: canary\r\n\r\n",
			"bad status":     "HTTP/1.1 canary OK\r\n\r\n",
			"bad coding":     "HTTP/1.1 200 OK\r\nTransfer-Encoding: canary\r\n\r\n",
			"bad chunk":      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\ncanary\r\n",
			"half an answer": "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\ncanary",
		} {
			p := &peer{answer: func(_ int, _ *http.Request, w io.Writer) bool { _, _ = io.WriteString(w, raw); return false }}
			_, err := newClient(t, p).Do(t.Context(), Request{Method: "POST", URL: "http://peer/canary?q=canary",
				Header: http.Header{"Authorization": {canary}}, Key: canary, Body: []byte(canary)})
			var failure *Error
			if !errors.As(err, &failure) {
				t.Fatalf("%s: got %v", name, err)
			}
			object, _ := json.Marshal(failure)
			if strings.Contains(err.Error()+failure.Err.Error()+string(object), canary) {
				t.Errorf("%s: %v / %s", name, err, object)
			}
		}
	})
}
