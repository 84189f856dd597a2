package mutants

import (
	"net/http"

	"github.com/oncecheck/oncecheck/reference/client"
)

func elsewhereMutants() []Mutant {
	return []Mutant{{
		Name:   "redirects-followed",
		Breaks: "sends the same request to wherever an answer points",
		Kills:  []string{"SRS-RES-001.40"},
		Client: tripping(func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
			again := copies(r)
			resp, err := next.RoundTrip(again())
			if err != nil || resp.StatusCode < 300 || resp.StatusCode > 399 {
				return resp, err
			}
			to, err := resp.Location()
			if err != nil {
				return resp, nil // it points nowhere
			}
			_ = resp.Body.Close()
			onward := again()
			onward.URL, onward.Host = to, ""
			return next.RoundTrip(onward)
		}),
	}, {
		Name:   "untrusted-is-retried",
		Breaks: "asks again for a certificate that it does not trust",
		Kills:  []string{"SRS-RES-001.43"},
		Needs:  []string{needTLSTrust},
		Client: func(c *client.Config) {
			right := c.Classify
			c.Classify = func(a client.Attempt) bool { return a.Class == client.Untrusted || right(a) }
		},
	}}
}
