package client

import "context"

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
	Result   Result
	Status   int // of the answer, or 0
	Attempts int // sends made by this call
}

// Result is a call's end in one word.
type Result string

// The results.
const (
	ResultAnswered    Result = "answered"
	ResultTimeout     Result = "timeout"     // the error is [CodeTimeout]
	ResultUnavailable Result = "unavailable" // the error is [CodeUnavailable]
	ResultCancelled   Result = "cancelled"   // the caller gave up
	ResultAborted     Result = "aborted"     // the Journal did
)

type unobserved struct{}

func (unobserved) Call(ctx context.Context, _ Call) (context.Context, func(Outcome)) {
	return ctx, func(Outcome) {}
}

func (unobserved) Attempt(ctx context.Context, _ Call, _ Attempt) (context.Context, func(Attempt)) {
	return ctx, func(Attempt) {}
}
