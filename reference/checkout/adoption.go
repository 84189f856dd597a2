package checkout

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel/metric"
)

// adoption counts requests by whether they brought a key. It has no labels: a key
// or a customer in one would make a series each, and tell what is nobody's
// business.
type adoption struct{ keyed, keyless metric.Int64Counter }

func measure(m metric.Meter) (a adoption, err error) {
	if a.keyed, err = m.Int64Counter("requests.keyed",
		metric.WithDescription("Requests that brought an idempotency key, whatever became of them.")); err == nil {
		a.keyless, err = m.Int64Counter("requests.keyless",
			metric.WithDescription("Requests without an idempotency key, whether they were refused or not."))
	}
	if err != nil {
		return adoption{}, fmt.Errorf("create the counters of keys: %w", err)
	}
	a.keyed.Add(context.Background(), 0) // a counter that nobody has seen is no zero
	a.keyless.Add(context.Background(), 0)
	return a, nil
}

func (a adoption) count(keyed bool) {
	if keyed {
		a.keyed.Add(context.Background(), 1)
	} else {
		a.keyless.Add(context.Background(), 1)
	}
}
