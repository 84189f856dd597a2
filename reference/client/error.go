package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// How a call ends, in one word for callers, logs and metrics alike. The first
// three are the codes of an [Error].
const (
	CodeTimeout     = "DEPENDENCY_TIMEOUT"
	CodeUnavailable = "DEPENDENCY_UNAVAILABLE"
	CodeCancelled   = "REQUEST_CANCELLED" // the caller gave up
	CodeAnswered    = "ANSWERED"
	CodeAborted     = "ABORTED" // the Journal did
)

// statusClientClosed is what servers log, by nginx's convention, for a caller
// who left. HTTP has no status for an answer that nobody will read.
const statusClientClosed = 499

// ErrInvalid is wrapped by the error of a request that cannot be sent. Nothing
// was sent, and no attempt was made.
var ErrInvalid = errors.New("invalid request")

// Error is a call without an answer. As JSON it is the error object that callers
// get, which holds nothing that the peer said and no address.
type Error struct {
	Code          string `json:"code"`    // for callers who are programs
	Message       string `json:"message"` // and for those who are people
	CorrelationID string `json:"correlationId"`
	Retryable     bool   `json:"retryable"` // the cause may pass by itself, and the peer cannot act twice

	Status     int           `json:"-"` // of HTTP, that goes with the code
	Target     string        `json:"-"` // method and dependency; never path or query, which may hold anything
	Attempts   int           `json:"-"` // sends made by this call
	Unknown    bool          `json:"-"` // at least one attempt may have been executed by the peer
	RetryAfter time.Duration `json:"-"` // what the peer asked for, or 0
	Err        error         `json:"-"` // of the last attempt
}

func (e *Error) Error() string {
	doubt := ""
	if e.Unknown {
		doubt = ", outcome unknown"
	}
	return fmt.Sprintf("%s: %s after %d attempts%s: %v", e.Target, e.Code, e.Attempts, doubt, e.Err)
}

// Unwrap returns the error of the last attempt.
func (e *Error) Unwrap() error { return e.Err }

// failure returns the error of a call whose last attempt is given. The clock
// decides between the codes, since a deadline of the caller's ends ctx as well.
func (c *Client) failure(ctx context.Context, call *call, last Attempt, unknown, again bool) *Error {
	e := &Error{
		Code: CodeUnavailable, Status: http.StatusServiceUnavailable, Message: "the dependency is not available",
		CorrelationID: call.CorrelationID, Retryable: again, Target: call.Method + " " + call.Dependency,
		Attempts: call.Attempts, Unknown: unknown, RetryAfter: last.RetryAfter, Err: last.Err,
	}
	late := c.left(call) <= 0 || errors.Is(ctx.Err(), context.DeadlineExceeded)
	switch {
	case !late && ctx.Err() != nil:
		e.Code, e.Status, e.Message = CodeCancelled, statusClientClosed, "the call was cancelled before the dependency had answered"
		e.Retryable, e.Err = false, cancellation(ctx)
	case late || last.Class == Timeout:
		e.Code, e.Status, e.Message = CodeTimeout, http.StatusGatewayTimeout, "the dependency did not answer in time"
	}
	call.Code = e.Code
	return e
}

// cancellation returns why ctx ended, in a form that is [context.Canceled] and
// the caller's own cause.
func cancellation(ctx context.Context) error {
	if cause := context.Cause(ctx); !errors.Is(cause, ctx.Err()) {
		return fmt.Errorf("%w: %w", ctx.Err(), cause)
	}
	return ctx.Err()
}
