package mutants

import (
	"context"

	"github.com/oncecheck/oncecheck/reference/client"
)

func cancelMutants() []Mutant {
	return []Mutant{{
		Name:   "cancel-ignored",
		Breaks: "goes on when its caller has left",
		Kills:  []string{"SRS-RES-001.13"},
		Needs:  []string{needCancel},
		Client: func(c *client.Config) {
			c.Observer = observing{Observer: c.Observer, call: func(ctx context.Context) (context.Context, func(client.Outcome)) {
				return context.WithoutCancel(ctx), func(client.Outcome) {}
			}}
		},
	}, {
		Name:   "cancel-is-a-failure",
		Breaks: "takes an attempt that its caller ended for one that failed, and tries again",
		Kills:  []string{"SRS-RES-001.13"},
		Needs:  []string{needCancel},
		Client: cancelIsAFailure,
	}}
}

type callerKey struct{}

// cancelIsAFailure lets the caller end the attempt that is under way, and nothing
// else.
func cancelIsAFailure(c *client.Config) {
	right := c.Classify
	c.Classify = func(a client.Attempt) bool { return a.Class == client.Cancelled || right(a) }
	c.Observer = observing{
		Observer: c.Observer,
		call: func(ctx context.Context) (context.Context, func(client.Outcome)) {
			return context.WithValue(context.WithoutCancel(ctx), callerKey{}, ctx), func(client.Outcome) {}
		},
		attempt: func(ctx context.Context, _ client.Attempt) context.Context {
			caller, _ := ctx.Value(callerKey{}).(context.Context)
			if caller.Err() != nil {
				return ctx
			}
			ended, cancel := context.WithCancel(ctx)
			context.AfterFunc(caller, cancel)
			return ended
		},
	}
}
