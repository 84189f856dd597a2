package exchange

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"
)

// Limits bound one send.
type Limits struct {
	// Limit says how long it may take until a connection is usable (DNS, TCP, TLS and
	// waiting for a pooled one) before it has failed as [Connect], and from then to
	// the last byte of the answer as [Timeout]. Each is asked for when its time begins.
	Limit func(as Class) time.Duration

	// MaxBody is the most bytes of a body; a longer one is unreadable.
	MaxBody int64

	// Wanted says whether somebody wants the body of an answer with this status.
	// Where nobody does, nobody waits for it, and its connection is closed with it.
	Wanted func(status int) bool
}

// Result is what became of one send.
type Result struct {
	Class   Class // empty: there is an answer
	Err     error // why there is none; its text holds nothing that the peer sent
	Reached bool  // there was a connection: the peer may have seen the request

	// The answer, or what there is of one.
	Status int
	Header http.Header
	Body   []byte
}

// ErrTimeLimit is wrapped by [Result.Err] if a limit was reached. With [Connect] it
// was that for connecting, with [Timeout] that for reading.
var ErrTimeLimit = errors.New("time limit of the attempt reached")

var (
	errUnreadable = errors.New("unreadable answer")
	errResend     = errors.New("the reused connection died before it had answered")
)

// Send sends r with this body once. One timer serves both limits, restarted at the
// moment the connection is ours.
func (s *Sender) Send(ctx context.Context, r *http.Request, body []byte, l Limits) Result {
	limited, cancel := context.WithCancelCause(ctx)
	defer cancel(nil) // also ends the dial and everything else that is still under way
	timer := time.AfterFunc(l.Limit(Connect), func() { cancel(ErrTimeLimit) })
	defer timer.Stop()
	var connected atomic.Bool
	traced := httptrace.WithClientTrace(context.WithValue(limited, sendKey{}, limited), &httptrace.ClientTrace{
		// Called before a byte of the request is written. A second connection means
		// that net/http is about to send the request again, as it does without asking
		// if a reused connection dies. A connection that comes too late is none. In
		// both cases closing it is what makes sure that nothing is sent.
		GotConn: func(got httptrace.GotConnInfo) {
			switch {
			case connected.Load():
				cancel(errResend)
				_ = got.Conn.Close()
			case !timer.Stop():
				cancel(ErrTimeLimit) // the timer's own call may not have come yet
				_ = got.Conn.Close()
			default:
				connected.Store(true)
				timer.Reset(l.Limit(Timeout))
			}
		},
	})
	r = r.WithContext(traced)
	if s.wrapped != http.RoundTripper(s.transport) {
		r = r.Clone(traced) // what a wrapper does to it stays in this send; net/http does nothing to it
	}
	result, err := s.exchange(r, body, l)
	result.Reached = connected.Load()
	if err != nil {
		result.Class, result.Err = broken(err, context.Cause(limited), result.Reached)
	}
	return result
}

// exchange does one round trip and reads the answer.
func (s *Sender) exchange(r *http.Request, body []byte, l Limits) (Result, error) {
	if len(body) > 0 {
		// Without GetBody: what net/http cannot rewind it does not send again.
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	}
	resp, err := s.wrapped.RoundTrip(r)
	if err != nil {
		return Result{}, err
	}
	defer resp.Body.Close() // with the connection, unless the body was read to its end
	got := Result{Status: resp.StatusCode, Header: resp.Header}
	switch {
	case !l.Wanted(got.Status):
		// A peer in trouble may never finish it, and the next attempt may find a
		// healthier one behind another connection.
	case got.Status == http.StatusSwitchingProtocols:
		err = fmt.Errorf("%w: it speaks another protocol, for which nobody asked", errUnreadable)
	case !Safe(r.Method) && got.Status < 300 && resp.ContentLength < 0 && len(resp.TransferEncoding) == 0:
		// It ends with the connection: one that was cut off would look the same.
		err = fmt.Errorf("%w: it has neither a length nor chunks", errUnreadable)
	default:
		got.Body, err = read(resp, l.MaxBody)
	}
	return got, err
}

// read returns the whole body. One that says how long it is gets that much room
// at once, unless it says a lot.
func read(resp *http.Response, most int64) ([]byte, error) {
	body := bytes.NewBuffer(make([]byte, 0, min(max(resp.ContentLength, 0), most, 64<<10)+bytes.MinRead))
	n, err := body.ReadFrom(io.LimitReader(resp.Body, most+1))
	if err == nil && n > most {
		err = fmt.Errorf("%w: it is longer than %d bytes", errUnreadable, most)
	}
	return body.Bytes(), err
}

// Safe reports whether a method has no effect that could be in doubt.
func Safe(method string) bool {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace:
		return true
	}
	return false
}
