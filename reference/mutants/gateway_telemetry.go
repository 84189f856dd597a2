package mutants

import (
	"bytes"
	"context"
	"io"
	"net/http"

	"go.opentelemetry.io/otel/metric"

	"github.com/oncecheck/oncecheck/reference/client"
	"github.com/oncecheck/oncecheck/reference/gateway"
)

func telemetryMutants() []Mutant {
	return []Mutant{{
		Name:    "fallback-not-counted",
		Breaks:  "does not count the stored results that it serves",
		Kills:   []string{"SRS-RES-001.80", "SRS-RES-001.94"},
		Needs:   []string{needFallbackSeed, needMetrics, needStoreLink},
		Gateway: uncounted("fallback.served"),
	}, {
		Name:    "misses-not-counted",
		Breaks:  "counts the stored results that it serves, and not how many it should have served",
		Kills:   []string{"SRS-RES-001.94"},
		Needs:   []string{needFallbackSeed, needMetrics, needStoreLink},
		Gateway: uncounted("fallback.eligible"),
	}, {
		Name:   "upstream-error-logged",
		Breaks: "logs what a dependency says of its failure",
		Kills:  []string{"SRS-RES-001.87"},
		Needs:  []string{needLogs, needMetrics},
		Gateway: func(c *gateway.Config) {
			log := c.Log
			around(&c.Client, func(next http.RoundTripper, r *http.Request) (*http.Response, error) {
				resp, err := next.RoundTrip(r)
				if err == nil && resp.StatusCode >= http.StatusInternalServerError {
					said, _ := io.ReadAll(io.LimitReader(resp.Body, 4<<10))
					log.Warn("the dependency failed", "said", string(said))
					resp.Body = body{io.MultiReader(bytes.NewReader(said), resp.Body), resp.Body.Close}
				}
				return resp, err
			})
		},
	}, {
		Name:   "only-the-last-attempt-logged",
		Breaks: "tells of an attempt only if no other one follows",
		Kills:  []string{"SRS-RES-001.89", "SRS-RES-001.95"},
		Needs:  []string{needLogs, needMetrics},
		Gateway: func(c *gateway.Config) {
			c.Client.Observer = untold{c.Client.Observer, c.Client.Policy.Attempts}
		},
	}, {
		Name:   "span-ends-early",
		Breaks: "ends the span of a call before its first attempt",
		Kills:  []string{"SRS-RES-001.95"},
		Needs:  []string{needLogs, needMetrics},
		Gateway: func(c *gateway.Config) {
			c.Client.Observer = endsEarly{c.Client.Observer}
		},
	}}
}

// uncounted makes a counter stand still.
func uncounted(name string) func(*gateway.Config) {
	return func(c *gateway.Config) { c.Meter = stuckCounter{c.Meter, name} }
}

type stuckCounter struct {
	metric.Meter
	name string
}

func (m stuckCounter) Int64Counter(name string, o ...metric.Int64CounterOption) (metric.Int64Counter, error) {
	counter, err := m.Meter.Int64Counter(name, o...)
	if name == m.name {
		counter = atZero{counter}
	}
	return counter, err
}

type atZero struct{ metric.Int64Counter }

func (z atZero) Add(ctx context.Context, _ int64, o ...metric.AddOption) {
	z.Int64Counter.Add(ctx, 0, o...)
}

// untold tells of attempts that cannot be followed by another one.
type untold struct {
	client.Observer
	last int
}

func (u untold) Attempt(ctx context.Context, c client.Call, a client.Attempt) (context.Context, func(client.Attempt)) {
	return ctx, func(a client.Attempt) {
		if a.Class == client.Answered || a.Number == u.last {
			_, ended := u.Observer.Attempt(ctx, c, a)
			ended(a)
		}
	}
}

// endsEarly tells how a call ended before it did.
type endsEarly struct{ client.Observer }

func (e endsEarly) Call(ctx context.Context, c client.Call) (context.Context, func(client.Outcome)) {
	ctx, ended := e.Observer.Call(ctx, c)
	ended(client.Outcome{Code: client.CodeAnswered})
	return ctx, func(client.Outcome) {}
}
