package mutants

import (
	"context"
	"time"

	"github.com/oncecheck/oncecheck/reference/client"
)

// memory is what a client knows of a call while it goes on.
type memory struct {
	method           string
	last             client.Attempt
	answered, broken int // attempts that failed with an answer, or without one
}

type memoryKey struct{}

// remembering keeps a memory of each call in its context.
type remembering struct{ client.Observer }

func (o remembering) Call(ctx context.Context, c client.Call) (context.Context, func(client.Outcome)) {
	return o.Observer.Call(context.WithValue(ctx, memoryKey{}, &memory{method: c.Method}), c)
}

func (o remembering) Attempt(ctx context.Context, c client.Call, a client.Attempt) (context.Context, func(client.Attempt)) {
	m, _ := ctx.Value(memoryKey{}).(*memory)
	ctx, told := o.Observer.Attempt(ctx, c, a)
	return ctx, func(a client.Attempt) {
		m.last = a
		if a.Status != 0 {
			m.answered++
		} else {
			m.broken++
		}
		told(a)
	}
}

// pausing changes a pause by what is known of its call, or ends the call instead.
func pausing(c *client.Config, change func(m *memory, d time.Duration) (time.Duration, bool)) {
	c.Observer = remembering{c.Observer}
	right := c.Pause
	c.Pause = func(ctx context.Context, d, remaining time.Duration) bool {
		m, _ := ctx.Value(memoryKey{}).(*memory)
		d, on := change(m, d)
		return on && right(ctx, d, remaining)
	}
}
