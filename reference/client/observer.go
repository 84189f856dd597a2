package client

import "context"

// Journal is told of every attempt. An error of Began prevents the attempt, an
// error of Ended prevents the next one; the call then returns that error.
type Journal interface {
	Began(Attempt) error // before anything is sent
	Ended(Attempt) error
}

// Observer sees calls and attempts begin and end. Unlike a [Journal] it cannot
// change what happens. It is told nothing that might be a secret: no path, no
// query, no header, no body.
//
// Both methods return the context under which what began goes on, and a function
// that is called once when it has ended, with its clean-up done.
type Observer interface {
	Call(context.Context, Call) (context.Context, func(Outcome))
	Attempt(context.Context, Call, Attempt) (context.Context, func(Attempt))
}

// Call is what an observer learns of a call.
type Call struct {
	Dependency    string // [Request.Dependency], or the host
	Method        string
	CorrelationID string
}

// Outcome is how a call ended.
type Outcome struct {
	Code     string // of the [Error], or [CodeAnswered] or [CodeAborted]
	Attempts int    // sends made by this call
}

// nobody is the [Journal] and the [Observer] where there is none.
type nobody struct{}

func (nobody) Began(Attempt) error { return nil }
func (nobody) Ended(Attempt) error { return nil }

func (nobody) Call(ctx context.Context, _ Call) (context.Context, func(Outcome)) {
	return ctx, func(Outcome) {}
}

func (nobody) Attempt(ctx context.Context, _ Call, _ Attempt) (context.Context, func(Attempt)) {
	return ctx, func(Attempt) {}
}
