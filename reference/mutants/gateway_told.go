package mutants

import (
	"context"

	"go.opentelemetry.io/otel/trace"

	"github.com/oncecheck/oncecheck/reference/client"
	"github.com/oncecheck/oncecheck/reference/gateway"
)

// toldMutants are those whose log or trace tells something else than what was.
func toldMutants() []Mutant {
	return []Mutant{{
		Name:   "attempt-without-dependency",
		Breaks: "logs its attempts without saying at whom",
		Kills:  []string{"SRS-RES-001.89"},
		Gateway: retelling(retold{attempt: func(c *client.Call, _ *client.Attempt) {
			c.Dependency = ""
		}}),
	}, {
		Name:   "attempt-without-correlation",
		Breaks: "logs its attempts without the id of the call",
		Kills:  []string{"SRS-RES-001.89"},
		Gateway: retelling(retold{attempt: func(c *client.Call, _ *client.Attempt) {
			c.CorrelationID = ""
		}}),
	}, {
		Name:   "attempts-logged-alike",
		Breaks: "logs each attempt as one that failed",
		Kills:  []string{"SRS-RES-001.89"},
		Gateway: retelling(retold{attempt: func(_ *client.Call, a *client.Attempt) {
			a.Class = client.Reset
		}}),
	}, {
		Name:   "retries-in-one-span",
		Breaks: "has a span of the first attempt, and none of others",
		Kills:  []string{"SRS-RES-001.95"},
		Needs:  []string{needMetrics},
		Gateway: func(c *gateway.Config) {
			c.Client.Observer = observing{Observer: c.Client.Observer, attempt: func(ctx context.Context, a client.Attempt) context.Context {
				if a.Number == 1 {
					return ctx
				}
				// What descends from a span that nobody samples is not recorded either.
				return trace.ContextWithSpanContext(ctx, trace.SpanContextFromContext(ctx).WithTraceFlags(0))
			}}
		},
	}, {
		Name:   "failure-traced-as-success",
		Breaks: "ends the span of each call as if there had been an answer",
		Kills:  []string{"SRS-RES-001.95"},
		Needs:  []string{needMetrics},
		Gateway: retelling(retold{call: func(o *client.Outcome) {
			o.Code = client.CodeAnswered
		}}),
	}}
}

// retold changes what an observer is told.
type retold struct {
	client.Observer
	call    func(*client.Outcome)
	attempt func(*client.Call, *client.Attempt)
}

func retelling(r retold) func(*gateway.Config) {
	return func(c *gateway.Config) {
		told := r
		told.Observer = c.Client.Observer
		c.Client.Observer = told
	}
}

func (r retold) Call(ctx context.Context, c client.Call) (context.Context, func(client.Outcome)) {
	ctx, ended := r.Observer.Call(ctx, c)
	return ctx, func(o client.Outcome) {
		if r.call != nil {
			r.call(&o)
		}
		ended(o)
	}
}

func (r retold) Attempt(ctx context.Context, c client.Call, a client.Attempt) (context.Context, func(client.Attempt)) {
	if r.attempt == nil {
		return r.Observer.Attempt(ctx, c, a)
	}
	r.attempt(&c, &a)
	ctx, ended := r.Observer.Attempt(ctx, c, a)
	return ctx, func(a client.Attempt) {
		r.attempt(&c, &a)
		ended(a)
	}
}
