package client

import (
	"net/http"
	"time"

	"github.com/oncecheck/oncecheck/reference/exchange"
)

// Class is what became of one attempt.
type Class = exchange.Class

// The classes. Only Answered is a result; the others are failures.
const (
	Answered    Class = "answered"          // a complete answer that is neither 429 nor 5xx
	Throttled   Class = "throttled"         // 429
	ServerError Class = "server-error"      // 5xx
	Connect           = exchange.Connect    // no usable connection: nothing was sent
	Untrusted         = exchange.Untrusted  // the peer could not prove who it is: nothing was sent
	Reset             = exchange.Reset      // the connection died, or what came back was no answer
	Timeout           = exchange.Timeout    // no complete answer within the time limit
	Unreadable        = exchange.Unreadable // an answer that cannot be trusted: too long, or of unknown length
	Cancelled   Class = "cancelled"         // the caller gave up
)

// Attempt is the record of one send.
type Attempt struct {
	Number     int           // 1 is the first
	Class      Class         // empty while the attempt is under way
	Status     int           // of the answer, or 0
	Unknown    bool          // the peer may have executed the request, and did not say
	RetryAfter time.Duration // what the peer asked for, or 0
	Start, End time.Time
	Err        error // why there is no answer; its text holds nothing that the peer sent
}

// Judge is the default [Config.Judge].
func Judge(status int) Class {
	switch {
	case status == http.StatusTooManyRequests:
		return Throttled
	case status >= 500 && status <= 599:
		return ServerError
	}
	return Answered
}

// Transient is the default [Config.Classify]: it names what may pass by itself and
// nothing else. It is asked about failures only.
func Transient(a Attempt) bool {
	switch a.Class {
	case Throttled, ServerError, Connect, Reset, Timeout:
		return true
	}
	return false
}

// doubtful reports whether an attempt that reached the peer leaves its outcome
// open. 429 and 503 say that the request was turned away; other 5xx say that
// something broke, not what had been done by then.
func doubtful(a Attempt) bool {
	return a.Class != Answered && a.Class != Throttled && a.Status != http.StatusServiceUnavailable
}
