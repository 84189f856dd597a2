package mutants

import (
	"context"
	"io"
	"net/http"
	"net/http/httptrace"
	"time"

	"github.com/oncecheck/oncecheck/reference/client"
	"github.com/oncecheck/oncecheck/reference/exchange"
)

func readMutants() []Mutant {
	reading := func(change func(p client.Policy, right, remaining time.Duration) time.Duration) func(*client.Config) {
		return limiting(client.Timeout, change)
	}
	return []Mutant{{
		Name:   "read-for-10s",
		Breaks: "gives each attempt twice the time to be answered",
		Kills:  []string{"SRS-RES-001.04", "SRS-RES-001.05", "SRS-RES-001.06", "SRS-RES-001.09", "SRS-RES-001.96"},
		Needs:  []string{needDeclaredPolicy},
		Client: reading(func(p client.Policy, _, remaining time.Duration) time.Duration { return min(2*p.Read, remaining) }),
	}, {
		Name:   "read-for-3s",
		Breaks: "gives each attempt little more than half of its time to be answered",
		Kills:  []string{"SRS-RES-001.04", "SRS-RES-001.07", "SRS-RES-001.08", "SRS-RES-001.09", "SRS-RES-001.12", "SRS-RES-001.96"},
		Needs:  []string{needDeclaredPolicy},
		Client: reading(func(p client.Policy, right, _ time.Duration) time.Duration { return min(p.Read*3/5, right) }),
	}, {
		Name:   "shared-read-timer",
		Breaks: "counts the time for an answer from the start of the call, so that later attempts get what is left",
		Kills:  []string{"SRS-RES-001.04", "SRS-RES-001.07", "SRS-RES-001.08"},
		Client: reading(func(p client.Policy, right, remaining time.Duration) time.Duration {
			return min(max(0, p.Read-(p.Total-remaining)), right)
		}),
	}, {
		Name:   "read-timer-counts-connect",
		Breaks: "takes the time for connecting from that for the answer",
		Kills:  []string{"SRS-RES-001.08"},
		Client: timedBy(readTimer{fromStart: true}),
	}, {
		Name:   "headers-only-timeout",
		Breaks: "lets a body take as long as the call may last, once the headers are there",
		Kills:  []string{"SRS-RES-001.05", "SRS-RES-001.06"},
		Client: timedBy(readTimer{headersOnly: true}),
	}, {
		Name:   "idle-timer",
		Breaks: "begins the time for an answer anew with each piece that arrives",
		Kills:  []string{"SRS-RES-001.06"},
		Client: timedBy(readTimer{eachPiece: true}),
	}, {
		Name:   "unbounded-drain",
		Breaks: "reads an error's body to its end before it goes on, to use the connection again",
		Kills:  []string{"SRS-RES-001.05"},
		Client: tripping(func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
			resp, cancel, err := lasting(next, r)
			if err != nil {
				return nil, err
			}
			if resp.StatusCode < http.StatusInternalServerError {
				context.AfterFunc(r.Context(), cancel)
				return resp, nil
			}
			defer cancel()
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
			return answer(r, resp.StatusCode, ""), nil
		}),
	}}
}

// readTimer is a limit for the answer that is measured wrongly.
type readTimer struct{ fromStart, headersOnly, eachPiece bool }

// timedBy puts a timer of ours in the place of the client's, of which only the
// call's deadline stays.
func timedBy(kind readTimer) func(*client.Config) {
	return func(c *client.Config) {
		limiting(client.Timeout, func(_ client.Policy, _, remaining time.Duration) time.Duration { return remaining })(c)
		p := c.Policy
		around(c, func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
			ctx, cancel := context.WithCancelCause(r.Context())
			timer := time.AfterFunc(p.Read, func() { cancel(exchange.ErrTimeLimit) })
			traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) {
				if !kind.fromStart {
					timer.Reset(p.Read)
				}
			}})
			end := func() { timer.Stop(); cancel(nil) }
			resp, err := next.RoundTrip(r.WithContext(traced))
			if err != nil {
				end()
				return nil, err
			}
			if kind.headersOnly {
				timer.Stop()
			}
			inner := resp.Body
			resp.Body = body{
				readFunc(func(b []byte) (int, error) {
					n, err := inner.Read(b)
					if kind.eachPiece {
						timer.Reset(p.Read)
					}
					return n, err
				}),
				func() error { end(); return inner.Close() },
			}
			return resp, nil
		})
	}
}
