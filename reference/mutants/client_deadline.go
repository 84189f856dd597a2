package mutants

import (
	"context"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"github.com/oncecheck/oncecheck/reference/client"
)

func deadlineMutants() []Mutant {
	return []Mutant{{
		Name:   "no-deadline",
		Breaks: "limits each attempt, and not the call",
		Kills:  []string{"SRS-RES-001.09", "SRS-RES-001.10", "SRS-RES-001.11", "SRS-RES-001.12", "SRS-RES-001.26", "SRS-RES-001.96"},
		Needs:  []string{needDeclaredPolicy},
		Client: func(c *client.Config) {
			right := c.Deadline
			c.Deadline = func(p client.Policy, ctx context.Context, start time.Time) time.Time {
				p.Total = 24 * time.Hour
				return right(p, ctx, start)
			}
		},
	}, {
		Name:   "deadline-until-headers",
		Breaks: "forgets the call's deadline when the headers of an answer are there",
		Kills:  []string{"SRS-RES-001.10"},
		Client: deadlineUntilHeaders,
	}, {
		Name:   "last-attempt-in-full",
		Breaks: "gives the last attempt its whole time, whatever is left of the call's",
		Kills:  []string{"SRS-RES-001.10", "SRS-RES-001.12"},
		Client: limiting(client.Timeout, func(p client.Policy, _, _ time.Duration) time.Duration { return p.Read }),
	}, {
		Name:   "retry-at-the-deadline",
		Breaks: "makes an attempt when the call's time is just over",
		Kills:  []string{"SRS-RES-001.26"},
		// With the shortest waits that are allowed, an attempt after two that took their
		// whole limit is too late for the time added, and one after two that took a
		// little less is not: whether it dies must not be a matter of the jitter.
		Client: func(c *client.Config) {
			jittered(func(int) float64 { return 0.5 })(c)
			right := c.Deadline
			c.Deadline = func(p client.Policy, ctx context.Context, start time.Time) time.Time {
				p.Total += p.Total / 50
				return right(p, ctx, start)
			}
		},
	}, {
		Name:   "callers-deadline-ignored",
		Breaks: "takes its own deadline even where the caller has less time",
		Kills:  []string{"SRS-RES-001.18"},
		Needs:  []string{needCancel},
		Client: func(c *client.Config) {
			right := c.Deadline
			c.Deadline = func(p client.Policy, ctx context.Context, start time.Time) time.Time {
				return right(p, context.WithoutCancel(ctx), start)
			}
			c.Observer = observing{Observer: c.Observer, call: func(ctx context.Context) (context.Context, func(client.Outcome)) {
				// A caller who leaves is still heard.
				deaf, cancel := context.WithCancel(context.WithoutCancel(ctx))
				stop := context.AfterFunc(ctx, func() {
					if ctx.Err() == context.Canceled {
						cancel()
					}
				})
				return deaf, func(client.Outcome) { stop(); cancel() }
			}}
		},
	}, {
		Name:   "uninterruptible-wait",
		Breaks: "waits for as long as it was asked to, and hears neither its caller nor the deadline meanwhile",
		Kills:  []string{"SRS-RES-001.11", "SRS-RES-001.13"},
		Needs:  []string{needCancel},
		Client: func(c *client.Config) {
			right, longest := c.Pause, c.Policy.Total*6/5 // long enough to be noticed
			c.Pause = func(ctx context.Context, d, remaining time.Duration) bool {
				rest(context.WithoutCancel(ctx), min(d, longest))
				return right(ctx, 0, remaining-d)
			}
		},
	}}
}

// deadlineUntilHeaders gives a body the attempt's own time alone. The client's
// limit, which does not outlast the call, is heard until then.
func deadlineUntilHeaders(c *client.Config) {
	p := c.Policy
	around(c, func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
		var connected atomic.Pointer[time.Time]
		resp, cancel, err := lasting(next, r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{
			GotConn: func(httptrace.GotConnInfo) { now := time.Now(); connected.Store(&now) },
		})))
		if err != nil {
			return nil, err
		}
		timer := time.AfterFunc(time.Until(connected.Load().Add(p.Read)), cancel)
		inner := resp.Body
		resp.Body = body{inner, func() error { timer.Stop(); cancel(); return inner.Close() }}
		return resp, nil
	})
}
