package gateway

import (
	"context"
	"time"
)

// within does something that may hang and returns at the latest after limit,
// whatever becomes of it: a driver that does not listen to its context must not
// hold a caller. What is left behind ends by the driver's own limit.
func within[T any](ctx context.Context, limit time.Duration, do func(context.Context) (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	done := make(chan result, 1)
	go func() {
		defer cancel()
		value, err := do(ctx)
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
	}
	select {
	case r := <-done: // both at once: a result is better than none
		return r.value, r.err
	default:
		var none T
		return none, ctx.Err()
	}
}
