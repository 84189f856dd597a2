package mutants

import (
	"io"
	"net/http"

	"github.com/oncecheck/oncecheck/reference/client"
)

func resultMutants() []Mutant {
	return []Mutant{{
		Name:   "answer-truncated",
		Breaks: "cuts a long answer off",
		Kills:  []string{"SRS-RES-001.70"},
		Client: tripping(func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
			resp, err := next.RoundTrip(r)
			if err == nil {
				const most = 256 << 10
				resp.Body = body{io.LimitReader(resp.Body, most), resp.Body.Close}
			}
			return resp, err
		}),
	}, {
		Name:   "headers-dropped",
		Breaks: "keeps what it knows of an answer's headers, and drops the others",
		Kills:  []string{"SRS-RES-001.46", "SRS-RES-001.70"},
		Client: tripping(func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
			resp, err := next.RoundTrip(r)
			if err == nil {
				known := http.Header{}
				for _, name := range []string{"Content-Type", "Content-Length", "Retry-After", "Location"} {
					known[name] = resp.Header[name]
				}
				resp.Header = known
			}
			return resp, err
		}),
	}, {
		Name:   "success-made-up",
		Breaks: "returns an empty result where its last attempt failed",
		Kills:  []string{"SRS-RES-001.82", "SRS-RES-001.84"},
		Client: func(c *client.Config) {
			attempts := c.Policy.Attempts
			numbered(c, func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
				resp, err := next.RoundTrip(r)
				if number(r) < attempts || err == nil && resp.StatusCode < http.StatusInternalServerError {
					return resp, err
				}
				if err == nil {
					_ = resp.Body.Close()
				}
				return answer(r, http.StatusOK, "{}"), nil
			})
		},
	}, {
		Name:   "last-failure-passed-on",
		Breaks: "returns what a dependency said of its failure as if it were its answer, once no attempt is left",
		Kills:  []string{"SRS-RES-001.84", "SRS-RES-001.87"},
		Client: func(c *client.Config) {
			const passed = http.StatusBadGateway
			judging(client.Answered, passed)(c)
			attempts := c.Policy.Attempts
			numbered(c, func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
				resp, err := next.RoundTrip(r)
				if err == nil && number(r) == attempts && resp.StatusCode >= http.StatusInternalServerError {
					resp.StatusCode = passed
				}
				return resp, err
			})
		},
	}}
}
