package mutants

import (
	"io"
	"net/http"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/oncecheck/oncecheck/reference/gateway"
)

// secretMutants are those that repeat what their caller sent.
func secretMutants() []Mutant {
	return []Mutant{{
		Name:   "url-logged",
		Breaks: "logs the URL of a call that failed, with what its query holds",
		Kills:  []string{"SRS-RES-001.87"},
		Needs:  []string{needLogs, needMetrics},
		Gateway: func(c *gateway.Config) {
			log := c.Log
			around(&c.Client, failed(func(r *http.Request) { log.Warn("a call failed", "url", r.URL.String()) }))
		},
	}, {
		Name:   "body-logged",
		Breaks: "logs the body of a write that failed",
		Kills:  []string{"SRS-RES-001.87"},
		Needs:  []string{needLogs, needMetrics},
		Gateway: func(c *gateway.Config) {
			log := c.Log
			around(&c.Client, func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
				again := copies(r)
				resp, err := next.RoundTrip(again())
				if sent := again().Body; sent != nil && (err != nil || resp.StatusCode >= http.StatusInternalServerError) {
					text, _ := io.ReadAll(sent) // from memory
					log.Warn("a write failed", "body", string(text))
				}
				return resp, err
			})
		},
	}, {
		Name:   "key-logged",
		Breaks: "logs the key of a write that failed",
		Kills:  []string{"SRS-RES-001.87"},
		Needs:  []string{needLogs, needMetrics, needIdempotencyKey},
		Gateway: func(c *gateway.Config) {
			log := c.Log
			around(&c.Client, failed(func(r *http.Request) { log.Warn("a call failed", "key", r.Header.Get(gateway.KeyHeader)) }))
		},
	}, {
		Name:   "url-in-metrics",
		Breaks: "counts its failures by URL",
		Kills:  []string{"SRS-RES-001.87"},
		Needs:  []string{needLogs, needMetrics},
		Gateway: func(c *gateway.Config) {
			counter, err := c.Meter.Int64Counter("client.failures")
			if err != nil {
				panic("a counter without options is always made: " + err.Error())
			}
			around(&c.Client, failed(func(r *http.Request) {
				counter.Add(r.Context(), 1, metric.WithAttributes(attribute.String("url", r.URL.String())))
			}))
		},
	}, {
		Name:    "url-in-errors",
		Breaks:  "tells its caller which URL could not be reached",
		Kills:   []string{"SRS-RES-001.87"},
		Needs:   []string{needLogs, needMetrics},
		Gateway: urlInErrors,
	}}
}

// failed tells of each attempt that brings no answer.
func failed(tell func(*http.Request)) trip {
	return func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
		resp, err := next.RoundTrip(r)
		if err != nil || resp.StatusCode >= http.StatusInternalServerError {
			tell(r)
		}
		return resp, err
	}
}

func urlInErrors(c *gateway.Config) {
	var urls sync.Map // by correlation id
	around(&c.Client, failed(func(r *http.Request) { urls.Store(r.Header.Get(gateway.CorrelationHeader), r.URL.String()) }))
	right := c.Refuse
	c.Refuse = func(f gateway.Failure, id string) gateway.Answer {
		if url, called := urls.LoadAndDelete(id); called {
			f.Message += ": " + url.(string)
		}
		return right(f, id)
	}
}
