package mutants

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/oncecheck/oncecheck/reference/auth"
	"github.com/oncecheck/oncecheck/reference/client"
	"github.com/oncecheck/oncecheck/reference/gateway"
)

// answerMutants are those that answer with the wrong thing, or too early.
func answerMutants() []Mutant {
	return []Mutant{{
		Name:   "json-minified",
		Breaks: "takes the white space out of the JSON that it passes on",
		Kills:  []string{"SRS-RES-001.70"},
		Gateway: func(c *gateway.Config) {
			right := c.Pass
			c.Pass = func(resp client.Response) gateway.Answer {
				a := right(resp)
				var short bytes.Buffer
				if json.Compact(&short, a.Body) == nil {
					a.Body = short.Bytes()
					a.Header.Del("Content-Length") // of the longer one
				}
				return a
			}
		},
	}, {
		Name:    "store-before-dependency",
		Breaks:  "does not ask its dependency again for what it has stored once",
		Kills:   []string{"SRS-RES-001.74"},
		Needs:   []string{needFallbackSeed},
		Gateway: storeFirst,
	}, {
		Name:   "stored-write-is-200",
		Breaks: "serves the stored result of a write with a status of its own",
		Kills:  []string{"SRS-RES-001.91"},
		Needs:  []string{needFallbackSeed, needIdempotencyKey},
		Gateway: func(c *gateway.Config) {
			right := c.Serve
			c.Serve = func(e gateway.Entry, age time.Duration) gateway.Answer {
				e.Status = http.StatusOK
				return right(e, age)
			}
		},
	}, {
		Name:    "stored-correlation-served",
		Breaks:  "serves a stored result with the correlation id of the call that left it beside that of its own",
		Kills:   []string{"SRS-RES-001.71", "SRS-RES-001.74"},
		Needs:   []string{needFallbackSeed},
		Gateway: serveCorrelation,
	}, {
		Name:    "asked-before-authenticated",
		Breaks:  "asks its dependency, and only then whether its caller may",
		Kills:   []string{"SRS-RES-001.81", "SRS-RES-001.93"},
		Needs:   []string{needFallbackSeed},
		Gateway: askFirst,
	}}
}

// storeFirst fails reads of what it has seen succeed before they are sent.
func storeFirst(c *gateway.Config) {
	var seen sync.Map // URLs
	around(&c.Client, func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
		url := r.URL.String()
		if _, stored := seen.Load(url); stored && r.Method == http.MethodGet {
			return nil, errors.New("not asked again")
		}
		resp, err := next.RoundTrip(r)
		if err == nil && resp.StatusCode < http.StatusMultipleChoices {
			seen.Store(url, true)
		}
		return resp, err
	})
}

// serveCorrelation writes the name of the header in a way of its own, under which
// nobody replaces it.
func serveCorrelation(c *gateway.Config) {
	var ids sync.Map // by resource
	safe, serve := c.Safe, c.Serve
	c.Safe = func(r gateway.Resource, resp client.Response) bool {
		ids.Store(r, resp.CorrelationID)
		return safe(r, resp)
	}
	c.Serve = func(e gateway.Entry, age time.Duration) gateway.Answer {
		a := serve(e, age)
		if id, left := ids.Load(e.Resource); left {
			a.Header["X-Correlation-ID"] = []string{id.(string)}
		}
		return a
	}
}

// askFirst lets those in who are refused, and refuses them after the call.
func askFirst(c *gateway.Config) {
	var refused sync.Map // correlation ids of calls
	authenticate, judge := c.Authenticate, c.Judge
	c.Authenticate = func(r *http.Request) (auth.Principal, error) {
		p, err := authenticate(r)
		if id := r.Header.Get(gateway.CorrelationHeader); err != nil && id != "" {
			refused.Store(id, true)
			return auth.Principal{}, nil
		}
		return p, err
	}
	c.Judge = func(resp client.Response, err error) *gateway.Failure {
		id := resp.CorrelationID
		if failed := (*client.Error)(nil); errors.As(err, &failed) {
			id = failed.CorrelationID
		}
		if _, is := refused.LoadAndDelete(id); is {
			return &gateway.Failure{Status: http.StatusUnauthorized, Code: gateway.CodeUnauthenticated, Message: "a valid bearer token is required"}
		}
		return judge(resp, err)
	}
}
