package mutants

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"

	"github.com/oncecheck/oncecheck/reference/client"
	"github.com/oncecheck/oncecheck/reference/gateway"
)

func flagMutants() []Mutant {
	return []Mutant{{
		Name:   "flag-without-effect",
		Breaks: "retries and falls back whatever the flag says",
		Kills:  []string{"SRS-RES-001.88"},
		Needs:  []string{needFeatureFlag, needMetrics},
		Gateway: func(c *gateway.Config) {
			c.Resilience = gateway.NewFlag(true) // and nobody holds this one
		},
	}, {
		Name:   "flag-stops-the-clock",
		Breaks: "has no deadline while the flag is off",
		Kills:  []string{"SRS-RES-001.88"},
		Needs:  []string{needFeatureFlag, needMetrics},
		Gateway: func(c *gateway.Config) {
			flag, right := c.Resilience, c.Client.Deadline
			c.Client.Deadline = func(p client.Policy, ctx context.Context, start time.Time) time.Time {
				if !flag.On() {
					p.Total *= 2
				}
				return right(p, ctx, start)
			}
			limiting(client.Reading, func(_ client.Policy, limit, remaining time.Duration) time.Duration {
				if !flag.On() {
					return remaining
				}
				return limit
			})(&c.Client)
		},
	}, {
		Name:    "flag-not-shown",
		Breaks:  "has no gauge that shows the flag",
		Kills:   []string{"SRS-RES-001.88"},
		Needs:   []string{needFeatureFlag, needMetrics},
		Gateway: unmeasured("feature.enabled"),
	}}
}

// unmeasured leaves one instrument out of the metrics.
func unmeasured(name string) func(*gateway.Config) {
	return func(c *gateway.Config) { c.Meter = without{c.Meter, noop.NewMeterProvider().Meter(""), name} }
}

// without is a meter that lacks an instrument.
type without struct {
	metric.Meter
	nobody metric.Meter
	name   string
}

func (w without) Int64Counter(name string, o ...metric.Int64CounterOption) (metric.Int64Counter, error) {
	if name == w.name {
		return w.nobody.Int64Counter(name, o...)
	}
	return w.Meter.Int64Counter(name, o...)
}

func (w without) Int64ObservableGauge(name string, o ...metric.Int64ObservableGaugeOption) (metric.Int64ObservableGauge, error) {
	if name == w.name {
		return w.nobody.Int64ObservableGauge(name, o...)
	}
	return w.Meter.Int64ObservableGauge(name, o...)
}
