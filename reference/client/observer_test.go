package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"testing"
	"testing/synctest"
	"time"
)

type mark struct{}

// notes writes down what it is told, and marks the contexts that it hands out.
type notes struct{ lines []string }

func (n *notes) add(format string, args ...any) {
	n.lines = append(n.lines, fmt.Sprintf(format, args...))
}

func (n *notes) Call(ctx context.Context, c Call) (context.Context, func(Outcome)) {
	n.add("call %s %s %s", c.Dependency, c.Method, c.CorrelationID)
	return context.WithValue(ctx, mark{}, "call"), func(o Outcome) { n.add("ended %s %d", o.Code, o.Attempts) }
}

func (n *notes) Attempt(ctx context.Context, c Call, a Attempt) (context.Context, func(Attempt)) {
	n.add("attempt %d under %v", a.Number, ctx.Value(mark{}))
	return context.WithValue(ctx, mark{}, "attempt"), func(a Attempt) { n.add("%s %d", a.Class, a.Status) }
}

func TestObserverSeesEachAttempt(t *testing.T) {
	req := Request{Dependency: "payment", Method: "GET", URL: "http://peer/x?y", CorrelationID: "c1"}
	gone := errors.New("store is gone")
	for name, tc := range map[string]struct {
		script []string
		change func(*Request)
		want   []string
	}{
		"in the end": {[]string{status("503 Busy"), "", status("200 OK")}, nil, []string{
			"call payment GET c1", "attempt 1 under call", "server-error 503", "attempt 2 under call", "reset 0",
			"attempt 3 under call", "answered 200", "ended ANSWERED 3"}},
		"never": {[]string{status("429 Slow", "Retry-After: 99")}, func(r *Request) { r.Dependency = "" }, []string{
			"call peer GET c1", "attempt 1 under call", "throttled 429", "ended DEPENDENCY_UNAVAILABLE 1"}},
		"not written down": {[]string{""}, func(r *Request) { r.Journal = &counter{stopErr: gone} }, []string{
			"call payment GET c1", "attempt 1 under call", "reset 0", "ended ABORTED 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				req, n := req, &notes{}
				if tc.change != nil {
					tc.change(&req)
				}
				c := newClient(t, &peer{answer: script(tc.script...)}, func(cfg *Config) {
					cfg.Observer = n
					cfg.Wrap = func(next http.RoundTripper) http.RoundTripper {
						return roundTripper(func(r *http.Request) (*http.Response, error) {
							if got := r.Context().Value(mark{}); got != "attempt" {
								t.Errorf("sent under %v, want the attempt", got)
							}
							return next.RoundTrip(r)
						})
					}
				})
				_, _ = c.Do(t.Context(), req)
				if !reflect.DeepEqual(n.lines, tc.want) {
					t.Errorf("got  %q\nwant %q", n.lines, tc.want)
				}
			})
		})
	}
}

func TestObserverTellsTheEndsApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &notes{}
		c := newClient(t, &peer{answer: silent}, func(cfg *Config) { cfg.Observer = n })
		_, _ = c.Do(t.Context(), get())
		ctx, cancel := context.WithCancel(t.Context())
		defer time.AfterFunc(time.Second, cancel).Stop()
		defer cancel()
		_, _ = c.Do(ctx, get())
		var ends []string
		for _, line := range n.lines {
			if line[:5] == "ended" {
				ends = append(ends, line)
			}
		}
		if want := []string{"ended DEPENDENCY_TIMEOUT 2", "ended REQUEST_CANCELLED 1"}; !reflect.DeepEqual(ends, want) {
			t.Errorf("got %q, want %q", ends, want)
		}
	})
}
