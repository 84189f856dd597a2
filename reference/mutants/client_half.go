package mutants

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptrace"
	"time"

	"github.com/oncecheck/oncecheck/reference/client"
)

// halfMutants are clients that do right in the plainest case, and not in one that
// looks like it.
func halfMutants() []Mutant {
	return []Mutant{{
		Name:   "attempts-by-kind",
		Breaks: "counts connections that broke and answers that failed apart, so that a mixture of both gets more attempts",
		Kills:  []string{"SRS-RES-001.20"},
		Needs:  []string{needFreshClient},
		Client: attemptsByKind,
	}, {
		Name:   "no-wait-after-break",
		Breaks: "waits after an answer that failed, and not after a connection that did",
		Kills:  []string{"SRS-RES-001.25"},
		Needs:  []string{needDeclaredPolicy},
		Client: func(c *client.Config) {
			pausing(c, func(m *memory, d time.Duration) (time.Duration, bool) {
				if m.last.Class == client.Reset || m.last.Class == client.Timeout {
					d = 0
				}
				return d, true
			})
		},
	}, {
		Name:   "put-final-after-reset",
		Breaks: "does not repeat PUT and DELETE when the connection broke",
		Kills:  []string{"SRS-RES-001.65"},
		Client: func(c *client.Config) {
			pausing(c, func(m *memory, d time.Duration) (time.Duration, bool) {
				writes := m.method == http.MethodPut || m.method == http.MethodDelete
				return d, !writes || m.last.Class != client.Reset
			})
		},
	}, {
		Name:   "unclosed-before-retry",
		Breaks: "does not close the body of an error after which it tries again",
		Kills:  []string{"SRS-RES-001.16"},
		Needs:  []string{needSocketStats},
		Client: func(c *client.Config) {
			attempts := c.Policy.Attempts
			numbered(c, func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
				if number(r) == attempts || r.Method == http.MethodPost && r.Header.Get(client.KeyHeader) == "" {
					return next.RoundTrip(r)
				}
				return unclosed(next, r)
			})
		},
	}, {
		Name:   "longer-deadline-lifts-total",
		Breaks: "takes as long as its caller has, however long that is",
		Kills:  []string{"SRS-RES-001.09"},
		Needs:  []string{needCancel},
		Client: func(c *client.Config) {
			right := c.Deadline
			c.Deadline = func(p client.Policy, ctx context.Context, start time.Time) time.Time {
				if callers, has := ctx.Deadline(); has {
					return callers
				}
				return right(p, ctx, start)
			}
		},
	}, {
		Name:   "jitter-at-first-only",
		Breaks: "makes all callers that failed together a second time wait for the same time",
		Kills:  []string{"SRS-RES-001.24"},
		Needs:  []string{needFreshClient},
		Client: jittered(func(n int) float64 {
			if n > 1 {
				return 0.75
			}
			return 0.5 + rand.Float64()/2
		}),
	}, {
		Name:   "retry-after-heard-once",
		Breaks: "reads how long it is asked to wait by the first answer only",
		Kills:  []string{"SRS-RES-001.50"},
		Client: waiting(func(p client.Policy, n int, asked time.Duration, right waits) time.Duration {
			if n > 1 {
				asked = 0
			}
			return right(p, n, asked)
		}),
	}, {
		Name:   "cancel-unheard-in-body",
		Breaks: "does not hear its caller leave once the headers of an answer are there",
		Kills:  []string{"SRS-RES-001.13"},
		Needs:  []string{needCancel},
		Client: cancelUnheardInBody,
	}, {
		Name:   "cancel-unheard-while-connecting",
		Breaks: "does not hear its caller leave until it is connected",
		Kills:  []string{"SRS-RES-001.13"},
		Needs:  []string{needCancel},
		Client: cancelUnheardWhileConnecting,
	}, {
		Name:   "4xx-with-retry-after-is-retried",
		Breaks: "tries again after a refusal that says when it may pass",
		Kills:  []string{"SRS-RES-001.38", "SRS-RES-001.39"},
		Client: passing(func(_ *http.Request, resp *http.Response) bool {
			return resp.StatusCode/100 == 4 && resp.Header.Get("Retry-After") != ""
		}),
	}, {
		Name:   "post-408-is-retried",
		Breaks: "tries a POST with a key again after 408 and 425, although no GET",
		Kills:  []string{"SRS-RES-001.38"},
		Client: passing(func(r *http.Request, resp *http.Response) bool {
			return r.Method == http.MethodPost && (resp.StatusCode == http.StatusRequestTimeout || resp.StatusCode == http.StatusTooEarly)
		}),
	}, {
		Name:   "empty-answer-is-a-failure",
		Breaks: "takes a success without a body for an answer that broke off",
		Kills:  []string{"SRS-RES-001.70"},
		Client: tripping(func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
			resp, err := next.RoundTrip(r)
			if err == nil && resp.StatusCode/100 == 2 && resp.ContentLength == 0 && r.Method != http.MethodHead {
				_ = resp.Body.Close()
				return nil, io.ErrUnexpectedEOF
			}
			return resp, err
		}),
	}, {
		Name:   "header-lines-collapsed",
		Breaks: "keeps the last of several lines of a header",
		Kills:  []string{"SRS-RES-001.70"},
		Client: tripping(func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
			resp, err := next.RoundTrip(r)
			if err == nil {
				for name, lines := range resp.Header {
					resp.Header[name] = lines[len(lines)-1:]
				}
			}
			return resp, err
		}),
	}}
}

// attemptsByKind goes on in its last attempt for as long as no kind of failure has
// used up its own number.
func attemptsByKind(c *client.Config) {
	most, pause := c.Policy.Attempts, c.Policy.Base
	c.Observer = remembering{c.Observer}
	numbered(c, func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
		m, _ := r.Context().Value(memoryKey{}).(*memory)
		answered, broken, again := m.answered, m.broken, copies(r)
		resp, err := next.RoundTrip(again())
		for number(r) == most && (err != nil || resp.StatusCode >= http.StatusInternalServerError) {
			if err != nil {
				broken++
			} else {
				answered++
			}
			if max(answered, broken) >= most || r.Context().Err() != nil {
				break
			}
			if err == nil {
				_ = resp.Body.Close()
			}
			rest(r.Context(), pause)
			resp, err = next.RoundTrip(again())
		}
		return resp, err
	})
}

// passing takes some answers for failures that may pass, while attempts are left.
func passing(which func(r *http.Request, resp *http.Response) bool) func(*client.Config) {
	return func(c *client.Config) {
		attempts := c.Policy.Attempts
		numbered(c, func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
			resp, err := next.RoundTrip(r)
			if err == nil && number(r) < attempts && which(r, resp) {
				resp.StatusCode = http.StatusServiceUnavailable
			}
			return resp, err
		})
	}
}

// cancelUnheardInBody ends what its caller left no sooner than an attempt may last.
func cancelUnheardInBody(c *client.Config) {
	longest := c.Policy.Read
	around(c, func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
		resp, cancel, err := lasting(next, r)
		if err != nil {
			return nil, err
		}
		timer := time.AfterFunc(longest, cancel)
		stop := context.AfterFunc(r.Context(), func() {
			if !errors.Is(context.Cause(r.Context()), context.Canceled) { // a limit is heard
				cancel()
			}
		})
		inner := resp.Body
		resp.Body = body{inner, func() error { timer.Stop(); stop(); cancel(); return inner.Close() }}
		return resp, nil
	})
}

// cancelUnheardWhileConnecting leaves the dial its own limit alone.
func cancelUnheardWhileConnecting(c *client.Config) {
	limit, dial := c.Policy.Connect, c.Dial
	c.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
		defer cancel()
		return dial(ctx, network, addr)
	}
	around(c, func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
		deaf, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
		context.AfterFunc(r.Context(), func() {
			if !errors.Is(context.Cause(r.Context()), context.Canceled) {
				cancel()
			}
		})
		return next.RoundTrip(r.WithContext(httptrace.WithClientTrace(deaf, &httptrace.ClientTrace{
			GotConn: func(httptrace.GotConnInfo) { context.AfterFunc(r.Context(), cancel) },
		})))
	})
}
