package mutants

import (
	"context"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"

	"github.com/oncecheck/oncecheck/reference/client"
)

func attemptsMutants() []Mutant {
	return []Mutant{{
		Name:   "two-attempts",
		Breaks: "gives up after its first retry",
		Kills:  []string{"SRS-RES-001.01", "SRS-RES-001.12", "SRS-RES-001.20", "SRS-RES-001.22", "SRS-RES-001.96"},
		Needs:  []string{needFreshClient, needDeclaredPolicy},
		Client: final(func(a client.Attempt) bool { return a.Number == 2 }),
	}, {
		Name:   "nested-retry",
		Breaks: "has a loop around its loop, which sends each attempt twice",
		Kills:  []string{"SRS-RES-001.04", "SRS-RES-001.07", "SRS-RES-001.20", "SRS-RES-001.23", "SRS-RES-001.25", "SRS-RES-001.90", "SRS-RES-001.96"},
		Needs:  []string{needFreshClient, needDeclaredPolicy},
		Client: tripping(func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
			again := copies(r)
			resp, err := next.RoundTrip(again())
			if err != nil || resp.StatusCode < http.StatusInternalServerError {
				return resp, err
			}
			_ = resp.Body.Close()
			return next.RoundTrip(again())
		}),
	}, {
		Name:   "stock-transport",
		Breaks: "lets net/http send a request again when a connection that was idle dies",
		Kills:  []string{"SRS-RES-001.21"},
		Client: tripping(stockTransport),
	}, {
		Name:   "goes-on-after-success",
		Breaks: "makes all of its attempts once the first one failed, and returns what the last one brought",
		Kills:  []string{"SRS-RES-001.22"},
		Client: func(c *client.Config) {
			attempts := c.Policy.Attempts
			numbered(c, func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
				again := copies(r)
				resp, err := next.RoundTrip(again())
				for n := number(r); err == nil && n > 1 && n < attempts && resp.StatusCode < http.StatusBadRequest; n++ {
					_, _ = io.Copy(io.Discard, resp.Body)
					_ = resp.Body.Close()
					resp, err = next.RoundTrip(again())
				}
				return resp, err
			})
		},
	}}
}

// final takes some failures from those that are repeated.
func final(which func(client.Attempt) bool) func(*client.Config) {
	return func(c *client.Config) {
		right := c.Classify
		c.Classify = func(a client.Attempt) bool { return !which(a) && right(a) }
	}
}

// stockTransport tells the client of the first connection only, and net/http how
// to read the body again.
func stockTransport(next http.RoundTripper, r *http.Request) (*http.Response, error) {
	var told atomic.Bool
	seen := httptrace.ContextClientTrace(r.Context())
	again := copies(r)
	first := again()
	if r.Body != nil {
		first.GetBody = func() (io.ReadCloser, error) { return again().Body, nil }
	}
	return next.RoundTrip(first.WithContext(httptrace.WithClientTrace(context.Context(unseen{r.Context()}), &httptrace.ClientTrace{
		GotConn: func(got httptrace.GotConnInfo) {
			if told.CompareAndSwap(false, true) {
				seen.GotConn(got)
			}
		},
	})))
}
