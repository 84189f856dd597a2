package mutants

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/oncecheck/oncecheck/reference/auth"
	"github.com/oncecheck/oncecheck/reference/client"
	"github.com/oncecheck/oncecheck/reference/gateway"
)

// safeMutants are those that take a failure for something else, and an answer for a
// failure.
func safeMutants() []Mutant {
	return []Mutant{{
		Name:   "stale-hides-401-and-408",
		Breaks: "serves a stored result where the dependency does not know who asks, or waited for the request",
		Kills:  []string{"SRS-RES-001.76"},
		Needs:  []string{needFallbackSeed},
		Gateway: func(c *gateway.Config) {
			right := c.Judge
			c.Judge = func(resp client.Response, err error) *gateway.Failure {
				if err == nil && (resp.Status == http.StatusUnauthorized || resp.Status == http.StatusRequestTimeout) {
					return &gateway.Failure{Status: http.StatusServiceUnavailable, Code: gateway.CodeUnavailable, Message: "the dependency is not available", Retryable: true}
				}
				return right(resp, err)
			}
		},
	}, {
		Name:   "any-body-of-a-key",
		Breaks: "serves a write the result of another one with the same key",
		Kills:  []string{"SRS-RES-001.77"},
		Needs:  []string{needFallbackSeed, needIdempotencyKey},
		Gateway: func(c *gateway.Config) {
			right := c.ResourceOf
			c.ResourceOf = func(p auth.Principal, method, target, key string, _ []byte) gateway.Resource {
				return right(p, method, target, key, nil)
			}
		},
	}, {
		Name:    "no-fallback-on-broken-answer",
		Breaks:  "looks for a stored result only where no answer began",
		Kills:   []string{"SRS-RES-001.74"},
		Needs:   []string{needFallbackSeed},
		Gateway: noFallbackOnBrokenAnswer,
	}}
}

// noFallbackOnBrokenAnswer makes an answer that breaks off one of the failures after
// which nothing is looked for, and takes that back in the answer.
func noFallbackOnBrokenAnswer(c *gateway.Config) {
	judge, refuse := c.Judge, c.Refuse
	c.Judge = func(resp client.Response, err error) *gateway.Failure {
		f := judge(resp, err)
		if f != nil && f.Code == gateway.CodeUnavailable && err != nil && strings.Contains(err.Error(), "ended before the answer did") {
			f.Code = client.CodeCancelled
		}
		return f
	}
	c.Refuse = func(f gateway.Failure, id string) gateway.Answer {
		if f.Status == http.StatusServiceUnavailable {
			f.Code = gateway.CodeUnavailable
		}
		return refuse(f, id)
	}
}

// quietMutants are those that log secrets where nobody looks for them: when all
// went well, or took too long.
func quietMutants() []Mutant {
	needs := []string{needLogs, needMetrics}
	return []Mutant{{
		Name:   "write-logged-on-success",
		Breaks: "logs key and body of a write that succeeded",
		Kills:  []string{"SRS-RES-001.87"},
		Needs:  append([]string{needIdempotencyKey}, needs...),
		Gateway: func(c *gateway.Config) {
			log := c.Log
			around(&c.Client, func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
				again := copies(r)
				resp, err := next.RoundTrip(again())
				if sent := again().Body; sent != nil && err == nil && resp.StatusCode < http.StatusMultipleChoices {
					text, _ := io.ReadAll(sent) // from memory
					log.Info("a write succeeded", "key", r.Header.Get(gateway.KeyHeader), "body", string(text))
				}
				return resp, err
			})
		},
	}, {
		Name:   "url-logged-on-success",
		Breaks: "logs the URL of a read that succeeded, with what its query holds",
		Kills:  []string{"SRS-RES-001.87"},
		Needs:  needs,
		Gateway: func(c *gateway.Config) {
			log := c.Log
			around(&c.Client, func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
				resp, err := next.RoundTrip(r)
				if err == nil && r.Method == http.MethodGet && resp.StatusCode < http.StatusMultipleChoices {
					log.Info("a read succeeded", "url", r.URL.String())
				}
				return resp, err
			})
		},
	}, {
		Name:   "url-logged-on-fallback",
		Breaks: "logs the URL of a call that is answered with a stored result",
		Kills:  []string{"SRS-RES-001.87"},
		Needs:  append([]string{needFallbackSeed}, needs...),
		Gateway: func(c *gateway.Config) {
			log, right := c.Log, c.Serve
			c.Serve = func(e gateway.Entry, age time.Duration) gateway.Answer {
				log.Info("fallback", "target", e.Resource.Target)
				return right(e, age)
			}
		},
	}, {
		Name:    "url-logged-on-timeout",
		Breaks:  "logs the URL of a call that timed out",
		Kills:   []string{"SRS-RES-001.87"},
		Needs:   needs,
		Gateway: urlLoggedOnTimeout,
	}}
}

func urlLoggedOnTimeout(c *gateway.Config) {
	var urls sync.Map // by correlation id
	around(&c.Client, func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
		urls.Store(r.Header.Get(gateway.CorrelationHeader), r.URL.String())
		return next.RoundTrip(r)
	})
	log, right := c.Log, c.Refuse
	c.Refuse = func(f gateway.Failure, id string) gateway.Answer {
		if url, called := urls.LoadAndDelete(id); called && f.Code == gateway.CodeTimeout {
			log.Warn("a call timed out", "url", url)
		}
		return right(f, id)
	}
}
