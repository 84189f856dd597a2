package telemetry

import (
	"fmt"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// instruments are the metrics. Sets of labels are made once each: there are few,
// and to sort and hash one on every call costs more than to count it.
type instruments struct {
	attempts metric.Int64Counter
	duration metric.Float64Histogram
	labels   *sync.Map // from series to metric.MeasurementOption
}

type series struct{ dependency, outcome string }

func measure(m metric.Meter) (i instruments, err error) {
	i.labels = &sync.Map{}
	if i.attempts, err = m.Int64Counter("client.attempts",
		metric.WithDescription("Sends to a dependency, by how each of them ended.")); err == nil {
		i.duration, err = m.Float64Histogram("client.call.duration", metric.WithUnit("s"),
			metric.WithDescription("How long calls of a dependency took, with all attempts and waits, by how they ended."),
			metric.WithExplicitBucketBoundaries(0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 7.5, 10, 10.5))
	}
	if err != nil {
		return instruments{}, fmt.Errorf("create the instruments of the client: %w", err)
	}
	return i, nil
}

func (i instruments) labelled(dependency, outcome string) metric.MeasurementOption {
	key := series{dependency, outcome}
	if known, ok := i.labels.Load(key); ok {
		return known.(metric.MeasurementOption)
	}
	made := metric.WithAttributeSet(attribute.NewSet(attribute.String("dependency", dependency), attribute.String("outcome", outcome)))
	i.labels.Store(key, made)
	return made
}
