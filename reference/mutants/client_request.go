package mutants

import (
	"bytes"
	"crypto/rand"
	"io"
	"net/http"
	"strings"

	"github.com/oncecheck/oncecheck/reference/client"
)

func sameRequestMutants() []Mutant {
	return []Mutant{{
		Name:   "empty-body-on-retry",
		Breaks: "sends the body once, and none with a retry",
		Kills:  []string{"SRS-RES-001.63", "SRS-RES-001.64"},
		Needs:  []string{needIdempotencyKey},
		Client: sending(func(r *http.Request, n int) {
			if n > 1 {
				r.Body, r.ContentLength = nil, 0
			}
		}),
	}, {
		Name:   "partial-body-on-retry",
		Breaks: "begins a large body of a retry where the last attempt broke off",
		Kills:  []string{"SRS-RES-001.63"},
		Needs:  []string{needIdempotencyKey},
		Client: sending(func(r *http.Request, n int) {
			const buffer = 32 << 10
			if n > 1 && r.ContentLength > buffer {
				whole, _ := io.ReadAll(r.Body) // from memory
				rest := whole[buffer:]
				r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(rest)), int64(len(rest))
			}
		}),
	}, {
		Name:   "headers-pile-up",
		Breaks: "adds a header line again with each attempt",
		Kills:  []string{"SRS-RES-001.64"},
		Client: sending(func(r *http.Request, n int) {
			for range n - 1 {
				r.Header.Add("Accept", r.Header.Get("Accept"))
			}
		}),
	}, {
		Name:   "query-lost-on-retry",
		Breaks: "leaves out the query when it tries again",
		Kills:  []string{"SRS-RES-001.64"},
		Client: sending(func(r *http.Request, n int) {
			if n > 1 {
				to := *r.URL
				to.RawQuery = ""
				r.URL = &to
			}
		}),
	}, {
		Name:   "correlation-for-each-attempt",
		Breaks: "sends a new correlation id with each attempt",
		Kills:  []string{"SRS-RES-001.71", "SRS-RES-001.72", "SRS-RES-001.74"},
		Client: sending(func(r *http.Request, _ int) { r.Header.Set(client.CorrelationHeader, rand.Text()) }),
	}, {
		Name:   "correlation-not-made",
		Breaks: "sends no correlation id where its caller has none",
		Kills:  []string{"SRS-RES-001.72"},
		Client: correlating(func(id, right string) string {
			if id == "" {
				return ""
			}
			return right
		}),
	}, {
		Name:   "hostile-correlation-passed-on",
		Breaks: "passes a correlation id on as it came",
		Kills:  []string{"SRS-RES-001.73"},
		Client: correlating(func(id, right string) string {
			if id == "" || strings.ContainsAny(id, "\r\n") { // which net/http would not send
				return right
			}
			return id
		}),
	}}
}

func correlating(change func(id, right string) string) func(*client.Config) {
	return func(c *client.Config) {
		right := c.Correlate
		c.Correlate = func(id string) string { return change(id, right(id)) }
	}
}
