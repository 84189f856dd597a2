package mutants

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/oncecheck/oncecheck/reference/client"
)

func retryAfterMutants() []Mutant {
	return []Mutant{{
		Name:   "retry-after-ignored",
		Breaks: "does not read how long it is asked to wait",
		Kills:  []string{"SRS-RES-001.50", "SRS-RES-001.51", "SRS-RES-001.52", "SRS-RES-001.53", "SRS-RES-001.56", "SRS-RES-001.57", "SRS-RES-001.59"},
		Client: hearing(func(string) bool { return false }),
	}, {
		Name:   "retry-after-in-ms",
		Breaks: "takes the seconds that it is asked to wait for milliseconds",
		Kills:  []string{"SRS-RES-001.50", "SRS-RES-001.51", "SRS-RES-001.57", "SRS-RES-001.59"},
		Client: func(c *client.Config) {
			right := c.RetryAfter
			c.RetryAfter = func(h http.Header, now time.Time) time.Duration {
				asked := right(h, now)
				if isNumber(h.Get("Retry-After")) {
					asked /= 1000
				}
				return asked
			}
		},
	}, {
		Name:   "retry-after-on-429-only",
		Breaks: "does not read how long it is asked to wait by a 503",
		Kills:  []string{"SRS-RES-001.51"},
		Client: tripping(func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
			resp, err := next.RoundTrip(r)
			if err == nil && resp.StatusCode == http.StatusServiceUnavailable {
				resp.Header.Del("Retry-After")
			}
			return resp, err
		}),
	}, {
		Name:   "dates-ignored",
		Breaks: "reads seconds only, and no date before which it shall not come back",
		Kills:  []string{"SRS-RES-001.52", "SRS-RES-001.53"},
		Client: hearing(isNumber),
	}, {
		Name:   "one-date-form",
		Breaks: "reads one of the three forms of a date",
		Kills:  []string{"SRS-RES-001.53"},
		Client: hearing(func(value string) bool {
			_, err := time.Parse(http.TimeFormat, value)
			return err == nil || isNumber(value)
		}),
	}, {
		Name:   "past-means-now",
		Breaks: "comes back at once where it is told that it need not wait",
		Kills:  []string{"SRS-RES-001.54"},
		Client: atOnce(func(value string) bool {
			at, err := http.ParseTime(value)
			return value == "0" || err == nil && at.Before(time.Now())
		}),
	}, {
		Name:   "nonsense-means-now",
		Breaks: "comes back at once where it does not understand how long it shall wait",
		Kills:  []string{"SRS-RES-001.55"},
		Client: atOnce(func(value string) bool {
			_, err := http.ParseTime(value)
			return err != nil && !isNumber(value)
		}),
	}, {
		Name:   "first-line-counts",
		Breaks: "reads the first of several wishes, not the longest",
		Kills:  []string{"SRS-RES-001.55"},
		Client: func(c *client.Config) {
			right := c.RetryAfter
			c.RetryAfter = func(h http.Header, now time.Time) time.Duration {
				return right(http.Header{"Retry-After": {h.Get("Retry-After")}}, now)
			}
		},
	}, {
		Name:   "wait-overflows",
		Breaks: "makes a huge number of seconds a time in the past, and so no wait at all",
		Kills:  []string{"SRS-RES-001.56"},
		Client: func(c *client.Config) {
			right := c.RetryAfter
			c.RetryAfter = func(h http.Header, now time.Time) time.Duration {
				if seconds, _ := strconv.ParseInt(h.Get("Retry-After"), 10, 64); seconds > 1<<32 {
					return max(0, time.Duration(uint64(seconds)*uint64(time.Second))) //nolint:gosec // it is meant to overflow
				}
				return right(h, now)
			}
		},
	}, {
		Name:   "early-when-too-long",
		Breaks: "comes back early where it is asked to wait for longer than its call may last",
		Kills:  []string{"SRS-RES-001.56", "SRS-RES-001.57"},
		Client: func(c *client.Config) {
			right, usual := c.Pause, c.Policy.Base
			c.Pause = func(ctx context.Context, d, remaining time.Duration) bool {
				if d >= remaining {
					d = usual
				}
				return right(ctx, d, remaining)
			}
		},
	}, {
		Name:   "gives-up-beyond-cap",
		Breaks: "gives up where it is asked to wait for longer than it ever would by itself",
		Kills:  []string{"SRS-RES-001.52", "SRS-RES-001.53", "SRS-RES-001.59"},
		Client: func(c *client.Config) {
			most := c.Policy.Cap * 3 / 2
			right := c.Pause
			c.Pause = func(ctx context.Context, d, remaining time.Duration) bool {
				return d <= most && right(ctx, d, remaining)
			}
		},
	}, {
		Name:   "jitter-both-ways",
		Breaks: "comes back up to a fifth earlier or later than it was asked to",
		Kills:  []string{"SRS-RES-001.58"},
		Client: waiting(func(p client.Policy, n int, asked time.Duration, right waits) time.Duration {
			if asked == 0 {
				return right(p, n, 0)
			}
			return time.Duration((0.8 + 0.4*rand.Float64()) * float64(asked))
		}),
	}}
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// hearing keeps the wishes that heard names, and forgets the others.
func hearing(heard func(value string) bool) func(*client.Config) {
	return func(c *client.Config) {
		right := c.RetryAfter
		c.RetryAfter = func(h http.Header, now time.Time) time.Duration {
			kept := http.Header{}
			for _, value := range h.Values("Retry-After") {
				if heard(value) {
					kept.Add("Retry-After", value)
				}
			}
			return right(kept, now)
		}
	}
}

// atOnce makes some wishes a reason not to wait at all.
func atOnce(which func(value string) bool) func(*client.Config) {
	const now = time.Nanosecond // a wish that nobody has
	return func(c *client.Config) {
		right := c.RetryAfter
		c.RetryAfter = func(h http.Header, at time.Time) time.Duration {
			if values := h.Values("Retry-After"); len(values) == 1 && which(values[0]) {
				return now
			}
			return right(h, at)
		}
		waiting(func(p client.Policy, n int, asked time.Duration, right waits) time.Duration {
			if asked == now {
				return 0
			}
			return right(p, n, asked)
		})(c)
	}
}
