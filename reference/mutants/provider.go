package mutants

import (
	"crypto/rand"
	"net/http"
	"strings"
	"sync"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

func providerMutants() []Mutant {
	return []Mutant{{
		Name:   "random-provider-key",
		Breaks: "sends a new provider key with each attempt",
		Kills:  []string{"SRS-CHK-002.24", "SRS-CHK-002.26", "SRS-CHK-002.28", "SRS-CHK-SEC.05"},
		Needs:  []string{needEffects, needDependencies},
		Wrap: wrapTrip(func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
			if r.Header.Get(checkout.KeyHeader) != "" {
				r.Header.Set(checkout.KeyHeader, rand.Text())
			}
			return next.RoundTrip(r)
		}),
	}, {
		Name:   "client-key-as-provider-key",
		Breaks: "passes the client's key on to the providers",
		Kills:  []string{"SRS-CHK-002.26", "SRS-CHK-SEC.05"},
		Needs:  []string{needDependencies},
		Wrap: func(c *checkout.Config) {
			c.ProviderKey = func(r checkout.Record, operation string) string { return r.Scope.Key + ":" + operation }
		},
	}, {
		Name:   "recharge-unknown",
		Breaks: "charges again under a new key where the outcome of a charge is unknown",
		Kills:  []string{"SRS-CHK-002.24"},
		Needs:  []string{needEffects, needDependencies},
		Wrap: func(c *checkout.Config) {
			c.Reconcile = askNobody
			var mu sync.Mutex
			replaced := map[string]string{} // right key -> the one that is used now
			wrapTrip(func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
				right := r.Header.Get(checkout.KeyHeader)
				if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/charges") || right == "" {
					return next.RoundTrip(r)
				}
				mu.Lock()
				if now, ok := replaced[right]; ok {
					r.Header.Set(checkout.KeyHeader, now)
				}
				mu.Unlock()
				resp, err := next.RoundTrip(r)
				if err != nil {
					mu.Lock()
					replaced[right] = rand.Text()
					mu.Unlock()
				}
				return resp, err
			})(c)
		},
	}}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// wrapTrip puts trip around every attempt.
func wrapTrip(trip func(next http.RoundTripper, r *http.Request) (*http.Response, error)) func(*checkout.Config) {
	return func(c *checkout.Config) {
		inner := c.Client.Wrap
		c.Client.Wrap = func(next http.RoundTripper) http.RoundTripper {
			if inner != nil {
				next = inner(next)
			}
			return roundTripper(func(r *http.Request) (*http.Response, error) { return trip(next, r) })
		}
	}
}
