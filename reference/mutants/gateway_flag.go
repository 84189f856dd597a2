package mutants

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

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
			limiting(client.Timeout, func(_ client.Policy, limit, remaining time.Duration) time.Duration {
				if !flag.On() {
					return remaining
				}
				return limit
			})(&c.Client)
		},
	}, {
		Name:    "gauge-stands-still",
		Breaks:  "shows the flag as it was at the start",
		Kills:   []string{"SRS-RES-001.88"},
		Needs:   []string{needFeatureFlag, needMetrics},
		Gateway: func(c *gateway.Config) { c.Meter = showing{c.Meter, gateway.NewFlag(true)} },
	}, {
		Name:   "falls-back-though-off",
		Breaks: "makes one attempt while the flag is off, and falls back all the same",
		Kills:  []string{"SRS-RES-001.88"},
		Needs:  []string{needFeatureFlag, needMetrics, needFallbackSeed},
		Gateway: func(c *gateway.Config) {
			flag := alwaysOn(c)
			c.Client.Retries = flag.On
		},
	}, {
		Name:   "retries-though-off",
		Breaks: "falls back on nothing while the flag is off, and retries all the same",
		Kills:  []string{"SRS-RES-001.88"},
		Needs:  []string{needFeatureFlag, needMetrics},
		Gateway: func(c *gateway.Config) {
			flag, fresh := alwaysOn(c), c.Fresh
			c.Fresh = func(age, limit time.Duration) bool { return flag.On() && fresh(age, limit) }
		},
	}}
}

// alwaysOn takes the flag away from a gateway, which still shows it.
func alwaysOn(c *gateway.Config) *gateway.Flag {
	flag := c.Resilience
	c.Resilience, c.Meter = gateway.NewFlag(true), showing{c.Meter, flag}
	return flag
}

// showing is a meter whose gauge shows another flag.
type showing struct {
	metric.Meter
	flag *gateway.Flag
}

func (m showing) Int64ObservableGauge(name string, _ ...metric.Int64ObservableGaugeOption) (metric.Int64ObservableGauge, error) {
	return m.Meter.Int64ObservableGauge(name, metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
		state := int64(0)
		if m.flag.On() {
			state = 1
		}
		o.Observe(state, metric.WithAttributes(attribute.String("flag", gateway.FlagResilience)))
		return nil
	}))
}
