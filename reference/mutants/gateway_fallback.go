package mutants

import (
	"net/http"
	"time"

	"github.com/oncecheck/oncecheck/reference/auth"
	"github.com/oncecheck/oncecheck/reference/client"
	"github.com/oncecheck/oncecheck/reference/gateway"
)

func fallbackMutants() []Mutant {
	return []Mutant{{
		Name:    "no-fallback-on-timeout",
		Breaks:  "looks for a stored result only where the dependency said that it failed",
		Kills:   []string{"SRS-RES-001.74", "SRS-RES-001.91"},
		Needs:   []string{needFallbackSeed},
		Gateway: noFallbackOnTimeout,
	}, {
		Name:   "always-marked",
		Breaks: "says of each result that it was stored",
		Kills:  []string{"SRS-RES-001.75"},
		Needs:  []string{needFallbackSeed},
		Gateway: func(c *gateway.Config) {
			right := c.Pass
			c.Pass = func(resp client.Response) gateway.Answer {
				a := right(resp)
				if a.Status < http.StatusMultipleChoices {
					a.Header.Set(gateway.SourceHeader, "fallback")
				}
				return a
			}
		},
	}, {
		Name:   "stale-hides-404",
		Breaks: "serves a stored result where the dependency says that there is none any more",
		Kills:  []string{"SRS-RES-001.76"},
		Needs:  []string{needFallbackSeed},
		Gateway: func(c *gateway.Config) {
			right := c.Judge
			c.Judge = func(resp client.Response, err error) *gateway.Failure {
				if err == nil && resp.Status == http.StatusNotFound {
					return &gateway.Failure{Status: http.StatusServiceUnavailable, Code: gateway.CodeUnavailable, Message: "the dependency is not available", Retryable: true}
				}
				return right(resp, err)
			}
		},
	}, {
		Name:   "query-ignored",
		Breaks: "stores the results of all queries of an item under the item",
		Kills:  []string{"SRS-RES-001.77"},
		Needs:  []string{needFallbackSeed},
		Gateway: resourceOf(func(r *gateway.Resource, _, _ string, _ []byte) {
			for i := range r.Target {
				if r.Target[i] == '?' {
					r.Target = r.Target[:i]
					return
				}
			}
		}),
	}, {
		Name:   "only-reads-are-stored",
		Breaks: "stores the results of reads, and none of writes",
		Kills:  []string{"SRS-RES-001.91"},
		Needs:  []string{needFallbackSeed, needIdempotencyKey},
		Gateway: func(c *gateway.Config) {
			right := c.Safe
			c.Safe = func(r gateway.Resource, resp client.Response) bool {
				return r.Method == http.MethodGet && right(r, resp)
			}
		},
	}, {
		Name:   "key-not-passed-on",
		Breaks: "reads the key of a write and does not give it to the dependency",
		Kills:  []string{"SRS-RES-001.62", "SRS-RES-001.91"},
		Needs:  []string{needFallbackSeed, needIdempotencyKey},
		Gateway: func(c *gateway.Config) {
			right := c.ReadKey
			c.ReadKey = func(h http.Header) (string, error) {
				_, err := right(h)
				return "", err
			}
		},
	}, {
		Name:   "no-key-is-a-key",
		Breaks: "serves a write without a key the result of another one without",
		Kills:  []string{"SRS-RES-001.77"},
		Needs:  []string{needFallbackSeed},
		Gateway: resourceOf(func(r *gateway.Resource, _, key string, _ []byte) {
			if r.Method == http.MethodPost && key == "" {
				r.Call = "none"
			}
		}),
	}, {
		Name:    "any-key-of-a-write",
		Breaks:  "serves a write the result of another one with the same body",
		Kills:   []string{"SRS-RES-001.77", "SRS-RES-001.91"},
		Needs:   []string{needFallbackSeed, needIdempotencyKey},
		Gateway: anyKey,
	}, {
		Name:   "refusals-are-stored",
		Breaks: "stores whatever a write came to, whether it was committed or not",
		Kills:  []string{"SRS-RES-001.91"},
		Needs:  []string{needFallbackSeed, needIdempotencyKey},
		Gateway: func(c *gateway.Config) {
			right := c.Safe
			c.Safe = func(r gateway.Resource, resp client.Response) bool {
				return right(r, resp) || r.Method == http.MethodPost && r.Repeatable()
			}
		},
	}, {
		Name:   "never-too-old",
		Breaks: "serves a stored result of any age",
		Kills:  []string{"SRS-RES-001.92"},
		Needs:  []string{needFallbackSeed, needClock},
		Gateway: func(c *gateway.Config) {
			c.Fresh = func(time.Duration, time.Duration) bool { return true }
		},
	}, {
		Name:   "age-is-always-0",
		Breaks: "says of each stored result that it is new",
		Kills:  []string{"SRS-RES-001.92"},
		Needs:  []string{needFallbackSeed, needClock},
		Gateway: func(c *gateway.Config) {
			right := c.Serve
			c.Serve = func(e gateway.Entry, _ time.Duration) gateway.Answer { return right(e, 0) }
		},
	}, {
		Name:   "unbounded-lookup",
		Breaks: "waits for its store for as long as that takes",
		Kills:  []string{"SRS-RES-001.79"},
		Needs:  []string{needFallbackSeed, needStoreLink},
		Gateway: func(c *gateway.Config) {
			c.Policy.Lookup, c.Policy.Grace = time.Hour, time.Hour
		},
	}}
}

func ownerMutants() []Mutant {
	return []Mutant{{
		Name:   "tenant-ignored",
		Breaks: "serves a customer what was stored for one of that name in another tenant",
		Kills:  []string{"SRS-RES-001.78"},
		Needs:  []string{needFallbackSeed, needSecondTenant, needSecondPrincipal},
		Gateway: func(c *gateway.Config) {
			c.Authorize = func(p auth.Principal, r gateway.Resource) bool { return p.Subject == r.Owner }
			resourceOf(func(r *gateway.Resource, _, _ string, _ []byte) { r.Tenant = "" })(c)
		},
	}, {
		Name:   "owner-ignored",
		Breaks: "serves a customer what was stored for another one of the tenant",
		Kills:  []string{"SRS-RES-001.78"},
		Needs:  []string{needFallbackSeed, needSecondTenant, needSecondPrincipal},
		Gateway: func(c *gateway.Config) {
			c.Authorize = func(p auth.Principal, r gateway.Resource) bool { return p.Tenant == r.Tenant }
			resourceOf(func(r *gateway.Resource, _, _ string, _ []byte) { r.Owner = "" })(c)
		},
	}}
}

// resourceOf changes what counts as the same call.
func resourceOf(change func(r *gateway.Resource, target, key string, body []byte)) func(*gateway.Config) {
	return func(c *gateway.Config) {
		right := c.ResourceOf
		c.ResourceOf = func(p auth.Principal, method, target, key string, body []byte) gateway.Resource {
			r := right(p, method, target, key, body)
			change(&r, target, key, body)
			return r
		}
	}
}

func anyKey(c *gateway.Config) {
	right := c.ResourceOf
	c.ResourceOf = func(p auth.Principal, method, target, key string, body []byte) gateway.Resource {
		if key != "" {
			key = "any"
		}
		return right(p, method, target, key, body)
	}
}

// noFallbackOnTimeout makes a timeout one of the failures after which nothing is
// looked for, and takes that back in the answer.
func noFallbackOnTimeout(c *gateway.Config) {
	judge, refuse := c.Judge, c.Refuse
	c.Judge = func(resp client.Response, err error) *gateway.Failure {
		f := judge(resp, err)
		if f != nil && f.Code == gateway.CodeTimeout {
			f.Code = client.CodeCancelled
		}
		return f
	}
	c.Refuse = func(f gateway.Failure, id string) gateway.Answer {
		if f.Status == http.StatusGatewayTimeout {
			f.Code = gateway.CodeTimeout
		}
		return refuse(f, id)
	}
}
