package gateway

import (
	"context"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"
)

// instruments are what the gateway counts beside the attempts, which the client
// does. With eligible and served both counted a miss shows: a fallback that was
// due and could not be had.
type instruments struct {
	eligible metric.Int64Counter
	served   metric.Int64Counter
	age      metric.Float64Histogram
	answers  metric.Int64Counter
	labels   metric.MeasurementOption
}

func unmeasured() metric.Meter { return noop.NewMeterProvider().Meter("") }

// measure creates the instruments. The flag is a gauge that is read when somebody
// asks, so that it cannot be behind.
func measure(m metric.Meter, resilience *Flag) (i instruments, err error) {
	failed := func(err error) (instruments, error) {
		return instruments{}, fmt.Errorf("create the gateway's instruments: %w", err)
	}
	i.labels = metric.WithAttributes(attribute.String("dependency", Dependency))
	if i.eligible, err = m.Int64Counter("fallback.eligible",
		metric.WithDescription("Failed calls for which a safe result was stored, or for which nobody could say.")); err != nil {
		return failed(err)
	}
	if i.served, err = m.Int64Counter("fallback.served",
		metric.WithDescription("Failed calls that were answered with a stored result.")); err != nil {
		return failed(err)
	}
	if i.age, err = m.Float64Histogram("fallback.age", metric.WithUnit("s"),
		metric.WithDescription("Age of the stored results that were served."),
		metric.WithExplicitBucketBoundaries(1, 10, 60, 300, 900, 3600)); err != nil {
		return failed(err)
	}
	if i.answers, err = m.Int64Counter("gateway.answers",
		metric.WithDescription("Answers to authenticated callers, by where they came from.")); err != nil {
		return failed(err)
	}
	_, err = m.Int64ObservableGauge("feature.enabled",
		metric.WithDescription("1 while the feature is switched on, 0 while it is off."),
		metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
			state := int64(0)
			if resilience.On() {
				state = 1
			}
			o.Observe(state, metric.WithAttributes(attribute.String("flag", FlagResilience)))
			return nil
		}))
	if err != nil {
		return failed(err)
	}
	i.eligible.Add(context.Background(), 0, i.labels) // a counter that nobody has seen is no zero
	i.served.Add(context.Background(), 0, i.labels)
	return i, nil
}

// FlagResilience is the name of the flag for retries and fallback.
const FlagResilience = "resilience"

func (i instruments) serve(ctx context.Context, age time.Duration) {
	i.served.Add(ctx, 1, i.labels)
	i.age.Record(ctx, age.Seconds(), i.labels)
}

// answer counts an answer by its source: dependency, fallback, or the code of a
// failure.
func (i instruments) answer(ctx context.Context, source string) {
	i.answers.Add(ctx, 1, i.labels, metric.WithAttributes(attribute.String("source", source)))
}
