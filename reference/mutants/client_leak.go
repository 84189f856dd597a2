package mutants

import (
	"context"
	"io"
	"net/http"

	"github.com/oncecheck/oncecheck/reference/client"
)

func leakMutants() []Mutant {
	return []Mutant{{
		Name:   "abandoned-exchange",
		Breaks: "returns at a time limit and leaves the exchange to itself",
		Kills:  []string{"SRS-RES-001.14"},
		Client: tripping(func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
			type result struct {
				resp   *http.Response
				cancel context.CancelFunc
				err    error
			}
			done := make(chan result, 1)
			go func() {
				resp, cancel, err := lasting(next, r.WithContext(context.WithoutCancel(r.Context()))) //nolint:bodyclose // whoever made the call does
				done <- result{resp, cancel, err}
			}()
			select {
			case got := <-done:
				if got.err == nil {
					context.AfterFunc(r.Context(), got.cancel)
				}
				return got.resp, got.err
			case <-r.Context().Done():
				return nil, context.Cause(r.Context())
			}
		}),
	}, {
		Name:   "background-retry",
		Breaks: "tries again after it has told its caller that the call failed",
		Kills:  []string{"SRS-RES-001.15", "SRS-RES-001.26"},
		Client: backgroundRetry,
	}, {
		Name:   "unclosed-body",
		Breaks: "does not close the body of an error",
		Kills:  []string{"SRS-RES-001.16"},
		Needs:  []string{needSocketStats},
		Client: tripping(unclosed),
	}}
}

// unclosed keeps the body of an error open.
func unclosed(next http.RoundTripper, r *http.Request) (*http.Response, error) {
	resp, cancel, err := lasting(next, r)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode < http.StatusInternalServerError {
		context.AfterFunc(r.Context(), cancel)
		return resp, nil
	}
	resp.Body = io.NopCloser(resp.Body)
	return resp, nil
}

type lastKey struct{}

// last is the last round trip of a call, whose attempts follow each other.
type last struct {
	next http.RoundTripper
	copy func() *http.Request
}

// backgroundRetry keeps the last request of each call and sends it again a moment
// after a failure was reported.
func backgroundRetry(c *client.Config) {
	pause := c.Policy.Total / 10
	c.Observer = observing{Observer: c.Observer, call: func(ctx context.Context) (context.Context, func(client.Outcome)) {
		l := &last{}
		return context.WithValue(ctx, lastKey{}, l), func(o client.Outcome) {
			if o.Code != client.CodeUnavailable && o.Code != client.CodeTimeout || l.copy == nil {
				return
			}
			go func() {
				behind := context.WithoutCancel(ctx)
				rest(behind, pause)
				limited, cancel := context.WithTimeout(behind, pause)
				defer cancel()
				if resp, err := l.next.RoundTrip(l.copy().WithContext(limited)); err == nil {
					_ = resp.Body.Close()
				}
			}()
		}
	}}
	around(c, func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
		again := copies(r)
		first := again()
		if l, ok := r.Context().Value(lastKey{}).(*last); ok {
			l.next, l.copy = next, again
		}
		return next.RoundTrip(first)
	})
}
