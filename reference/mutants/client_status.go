package mutants

import (
	"net/http"
	"slices"

	"github.com/oncecheck/oncecheck/reference/client"
)

func statusClassMutants() []Mutant {
	return []Mutant{{
		Name:   "429-is-final",
		Breaks: "gives up when a dependency asks for patience",
		Kills:  []string{"SRS-RES-001.35"},
		Client: final(func(a client.Attempt) bool { return a.Class == client.Throttled }),
	}, {
		Name:   "only-503-is-retried",
		Breaks: "gives up on 500, 502 and 504",
		Kills:  []string{"SRS-RES-001.36"},
		Client: final(func(a client.Attempt) bool {
			return a.Class == client.ServerError && a.Status != http.StatusServiceUnavailable
		}),
	}, {
		Name:   "408-is-retried",
		Breaks: "tries again after 408 and 425, as one does with events",
		Kills:  []string{"SRS-RES-001.38"},
		Client: judging(client.Throttled, http.StatusRequestTimeout, http.StatusTooEarly),
	}, {
		Name:   "409-is-retried",
		Breaks: "tries again after a conflict",
		Kills:  []string{"SRS-RES-001.39", "SRS-RES-001.46"},
		Client: judging(client.ServerError, http.StatusConflict),
	}, {
		Name:   "404-is-unavailability",
		Breaks: "tells its caller that the dependency is not available where it knows no such thing",
		Kills:  []string{"SRS-RES-001.46"},
		Client: judging(client.Unreadable, http.StatusNotFound),
	}, {
		Name:   "retry-after-means-retry",
		Breaks: "tries again whenever an answer says after what time, a success included",
		Kills:  []string{"SRS-RES-001.41"},
		Client: tripping(func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
			resp, err := next.RoundTrip(r)
			if err == nil && resp.Header.Get("Retry-After") != "" {
				resp.StatusCode = http.StatusServiceUnavailable
			}
			return resp, err
		}),
	}}
}

// judging takes some statuses for something else.
func judging(as client.Class, statuses ...int) func(*client.Config) {
	return func(c *client.Config) {
		right := c.Judge
		c.Judge = func(status int) client.Class {
			if slices.Contains(statuses, status) {
				return as
			}
			return right(status)
		}
	}
}
