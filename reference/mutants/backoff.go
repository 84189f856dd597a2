package mutants

import (
	"net/http"
	"time"

	"github.com/oncecheck/oncecheck/reference/checkout"
	"github.com/oncecheck/oncecheck/reference/client"
)

// boundedMutants repeat too often, or too early.
func boundedMutants() []Mutant {
	return []Mutant{{
		Name:   "one-attempt-too-many",
		Breaks: "counts its retries and not its attempts: one and three more",
		Kills:  []string{"SRS-CHK-002.09"},
		Needs:  []string{needDependencies},
		Wrap:   func(c *checkout.Config) { c.Client.Policy.Attempts++ },
	}, {
		Name:   "one-attempt-too-few",
		Breaks: "gives up after two attempts where it declares three",
		Kills:  []string{"SRS-CHK-002.09"},
		Needs:  []string{needDependencies},
		Wrap:   func(c *checkout.Config) { c.Client.Policy.Attempts-- },
	}, {
		Name:   "retries-within-retries",
		Breaks: "has two layers that retry: three attempts of three sends each",
		Kills:  []string{"SRS-CHK-002.09"},
		Needs:  []string{needDependencies},
		Wrap:   wrapTrip(threeTimes),
	}, {
		Name:   "dependency-backoff-constant",
		Breaks: "waits as long before the third attempt as before the second",
		Kills:  []string{"SRS-CHK-002.10"},
		Needs:  []string{needDependencies},
		Wrap: func(c *checkout.Config) {
			c.Client.Wait = func(p client.Policy, _ int, asked time.Duration) time.Duration { return p.Wait(1, asked) }
		},
	}, {
		Name:   "dependency-backoff-without-jitter",
		Breaks: "waits exactly as long as all others that failed at the same time",
		Kills:  []string{"SRS-CHK-002.11"},
		Needs:  []string{needDependencies},
		Wrap: func(c *checkout.Config) {
			c.Client.Wait = func(p client.Policy, n int, asked time.Duration) time.Duration {
				step := p.Base
				for range n - 1 {
					step = min(2*step, p.Cap)
				}
				return max(step, asked)
			}
		},
	}, {
		Name:   "impatient-with-dependencies",
		Breaks: "does not look at Retry-After",
		Kills:  []string{"SRS-CHK-002.12"},
		Needs:  []string{needDependencies},
		Wrap: func(c *checkout.Config) {
			c.Client.RetryAfter = func(http.Header, time.Time) time.Duration { return 0 }
		},
	}}
}

// threeTimes sends a request up to three times, which its caller knows nothing of.
func threeTimes(next http.RoundTripper, r *http.Request) (resp *http.Response, err error) {
	again := copies(r)
	for range 3 {
		if resp != nil {
			_ = resp.Body.Close()
		}
		resp, err = next.RoundTrip(again())
		if err == nil && resp.StatusCode < http.StatusInternalServerError && resp.StatusCode != http.StatusTooManyRequests {
			break
		}
	}
	return resp, err
}
