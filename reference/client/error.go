package client

import (
	"fmt"
	"time"
)

// Error is a call without an answer.
type Error struct {
	Target     string // method, host and path; never the query, which may hold a key
	Attempts   int    // sends made by this call
	Timeout    bool   // the time limit ended it, rather than the peer
	Unknown    bool   // at least one attempt may have been executed by the peer
	RetryAfter time.Duration
	Err        error // of the last attempt
}

func (e *Error) Error() string {
	what, doubt := "unavailable", ""
	if e.Timeout {
		what = "timed out"
	}
	if e.Unknown {
		doubt = ", outcome unknown"
	}
	return fmt.Sprintf("%s: %s after %d attempts%s: %v", e.Target, what, e.Attempts, doubt, e.Err)
}

// Unwrap returns the error of the last attempt.
func (e *Error) Unwrap() error { return e.Err }

// add takes one failed attempt into account.
func (e *Error) add(a Attempt) {
	e.Attempts++
	e.Unknown = e.Unknown || a.Unknown
	e.Timeout = a.Class == Timeout
	e.RetryAfter = a.RetryAfter
	e.Err = a.Err
}
