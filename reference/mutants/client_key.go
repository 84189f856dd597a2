package mutants

import (
	"crypto/rand"
	"net/http"
	"time"

	"github.com/oncecheck/oncecheck/reference/client"
)

func keyRuleMutants() []Mutant {
	return []Mutant{{
		Name:   "post-is-repeated",
		Breaks: "does not look at the method before it tries again",
		Kills:  []string{"SRS-RES-001.60", "SRS-RES-001.61", "SRS-RES-001.67"},
		Client: repeating(func(client.Request, bool) bool { return true }),
	}, {
		Name:   "post-is-redialled",
		Breaks: "looks at the method only after an answer, and not when it could not connect",
		Kills:  []string{"SRS-RES-001.60"},
		Client: func(c *client.Config) {
			pause := c.Policy.Base
			around(c, func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
				again := copies(r)
				resp, err := next.RoundTrip(again())
				if err == nil || r.Method != http.MethodPost || r.Header.Get(client.KeyHeader) != "" || !isDial(err) {
					return resp, err
				}
				rest(r.Context(), pause)
				return next.RoundTrip(again())
			})
		},
	}, {
		Name:   "patch-is-repeated",
		Breaks: "takes PATCH for as harmless as PUT",
		Kills:  []string{"SRS-RES-001.61"},
		Client: repeating(func(r client.Request, right bool) bool { return right || r.Method == http.MethodPatch }),
	}, {
		Name:   "hedging",
		Breaks: "sends a slow request a second time and takes the first answer",
		Kills:  []string{"SRS-RES-001.60", "SRS-RES-001.61"},
		Client: hedging,
	}, {
		Name:   "always-retryable",
		Breaks: "says of each failure that may pass that the call may be made again, whatever a second one would do",
		Kills:  []string{"SRS-RES-001.86"},
		Needs:  []string{needIdempotencyKey},
		Client: alwaysRetryable,
	}, {
		Name:   "only-get-is-repeated",
		Breaks: "does not repeat PUT, DELETE and HEAD, which are as safe",
		Kills:  []string{"SRS-RES-001.65"},
		Client: repeating(func(r client.Request, right bool) bool { return right && (r.Method == http.MethodGet || r.Key != "") }),
	}, {
		Name:   "blank-key-counts",
		Breaks: "takes a header line without a value for a key",
		Kills:  []string{"SRS-RES-001.67"},
		Client: repeating(func(r client.Request, right bool) bool { return right || len(r.Header[client.KeyHeader]) > 0 }),
	}, {
		Name:   "key-for-each-attempt",
		Breaks: "makes a new key for each attempt",
		Kills:  []string{"SRS-RES-001.62"},
		Needs:  []string{needIdempotencyKey},
		Client: sending(func(r *http.Request, _ int) {
			if r.Header.Get(client.KeyHeader) != "" {
				r.Header.Set(client.KeyHeader, rand.Text())
			}
		}),
	}, {
		Name:   "key-only-at-first",
		Breaks: "sends the key with the first attempt only",
		Kills:  []string{"SRS-RES-001.62"},
		Needs:  []string{needIdempotencyKey},
		Client: sending(func(r *http.Request, n int) {
			if n > 1 {
				r.Header.Del(client.KeyHeader)
			}
		}),
	}, {
		Name:   "key-invented",
		Breaks: "makes up a key for each attempt of a call that has none",
		Kills:  []string{"SRS-RES-001.66"},
		Client: sending(func(r *http.Request, _ int) {
			if r.Header.Get(client.KeyHeader) == "" {
				r.Header.Set(client.KeyHeader, rand.Text())
			}
		}),
	}}
}

// alwaysRetryable lets the client take every call for one that may be repeated,
// and keeps the repetitions of one that may not from being sent.
func alwaysRetryable(c *client.Config) {
	repeating(func(client.Request, bool) bool { return true })(c)
	numbered(c, func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
		if number(r) > 1 && r.Method == http.MethodPost && r.Header.Get(client.KeyHeader) == "" {
			return answer(r, http.StatusServiceUnavailable, ""), nil
		}
		return next.RoundTrip(r)
	})
}

func repeating(change func(r client.Request, right bool) bool) func(*client.Config) {
	return func(c *client.Config) {
		right := c.Repeatable
		c.Repeatable = func(r client.Request) bool { return change(r, right(r)) }
	}
}

// sending changes each attempt's request, given its number.
func sending(change func(r *http.Request, n int)) func(*client.Config) {
	return func(c *client.Config) {
		numbered(c, func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
			change(r, number(r))
			return next.RoundTrip(r)
		})
	}
}

// hedging begins the second round trip when two fifths of the time for an answer
// are over.
func hedging(c *client.Config) {
	patience := c.Policy.Read * 2 / 5
	around(c, func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
		type result struct {
			resp *http.Response
			err  error
		}
		first, again := make(chan result, 2), copies(r)
		send := func(r *http.Request) {
			resp, err := next.RoundTrip(r) //nolint:bodyclose // whoever made the call does
			first <- result{resp, err}
		}
		go send(again())
		timer := time.NewTimer(patience)
		defer timer.Stop()
		select {
		case got := <-first:
			return got.resp, got.err
		case <-timer.C:
			go send(again())
		}
		got := <-first
		return got.resp, got.err
	})
}
