package mutants

import (
	"net/http"
	"strings"
	"sync"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

// reservationMutants keep what was done for a checkout that came to nothing.
func reservationMutants() []Mutant {
	return []Mutant{{
		Name:   "decline-keeps-reservation",
		Breaks: "keeps the reservation of a checkout whose payment was declined",
		Kills:  []string{"SRS-CHK-002.28"},
		Needs:  []string{needDependencies, needEffects},
		Wrap: func(c *checkout.Config) {
			var declined sync.Map // by correlation id
			wrapTrip(func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
				id := r.Header.Get(checkout.CorrelationHeader)
				if _, kept := declined.Load(id); kept && strings.HasSuffix(r.URL.Path, "/release") {
					return &http.Response{StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{},
						Body: http.NoBody, ContentLength: 0, Request: r}, nil
				}
				resp, err := next.RoundTrip(r)
				if err == nil && resp.StatusCode == http.StatusPaymentRequired {
					declined.Store(id, true)
				}
				return resp, err
			})(c)
		},
	}}
}
