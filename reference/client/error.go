package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// The codes of an [Error].
const (
	CodeTimeout     = "DEPENDENCY_TIMEOUT"
	CodeUnavailable = "DEPENDENCY_UNAVAILABLE"
	CodeCancelled   = "REQUEST_CANCELLED"
)

// statusClientClosed is what servers log, by nginx's convention, for a caller
// who left. HTTP has no status for an answer that nobody will read.
const statusClientClosed = 499

// ErrInvalid is wrapped by the error of a request that cannot be sent. Nothing
// was sent, and no attempt was made.
var ErrInvalid = errors.New("invalid request")

// Error is a call without an answer.
type Error struct {
	Target        string // method and dependency; never path or query, which may hold anything
	CorrelationID string
	Attempts      int  // sends made by this call
	Timeout       bool // the time limit ended it, rather than the peer
	Cancelled     bool // the caller ended it
	Unknown       bool // at least one attempt may have been executed by the peer
	RetryAfter    time.Duration
	Err           error // of the last attempt

	retryable bool
}

// meaning returns the error as others see it.
func (e *Error) meaning() (code string, status int, message string) {
	switch {
	case e.Cancelled:
		return CodeCancelled, statusClientClosed, "the call was cancelled before the dependency had answered"
	case e.Timeout:
		return CodeTimeout, http.StatusGatewayTimeout, "the dependency did not answer in time"
	}
	return CodeUnavailable, http.StatusServiceUnavailable, "the dependency is not available"
}

// Code is what to tell callers who are programs.
func (e *Error) Code() string { code, _, _ := e.meaning(); return code }

// HTTPStatus is the status that goes with the code.
func (e *Error) HTTPStatus() int { _, status, _ := e.meaning(); return status }

// Message is what to tell callers who are people.
func (e *Error) Message() string { _, _, message := e.meaning(); return message }

// Retryable reports whether the same call may be made again: the cause may pass
// by itself, and the peer cannot act twice.
func (e *Error) Retryable() bool { return e.retryable }

// MarshalJSON returns the error object that callers get. It holds nothing that
// the peer said and no address.
func (e *Error) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Code          string `json:"code"`
		Message       string `json:"message"`
		CorrelationID string `json:"correlationId"`
		Retryable     bool   `json:"retryable"`
	}{e.Code(), e.Message(), e.CorrelationID, e.retryable})
}

func (e *Error) Error() string {
	doubt := ""
	if e.Unknown {
		doubt = ", outcome unknown"
	}
	return fmt.Sprintf("%s: %s after %d attempts%s: %v", e.Target, e.result(), e.Attempts, doubt, e.Err)
}

func (e *Error) result() Result {
	switch {
	case e.Cancelled:
		return ResultCancelled
	case e.Timeout:
		return ResultTimeout
	}
	return ResultUnavailable
}

// Unwrap returns the error of the last attempt.
func (e *Error) Unwrap() error { return e.Err }

// add takes one failed attempt into account.
func (e *Error) add(a Attempt, again bool) {
	e.Attempts++
	e.Unknown = e.Unknown || a.Unknown
	e.Timeout = a.Class == Timeout
	e.RetryAfter = a.RetryAfter
	e.Err = a.Err
	e.retryable = again
}

// end decides between the codes. The clock decides, not ctx.Err(): under load a
// timer may fire late, and a deadline of the caller's ends ctx as well.
func (e *Error) end(ctx context.Context, late bool) *Error {
	switch {
	case late, errors.Is(ctx.Err(), context.DeadlineExceeded):
		e.Timeout = true
	case ctx.Err() != nil:
		e.Cancelled, e.Timeout, e.retryable, e.Err = true, false, false, cancellation(ctx)
	}
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
