package client

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

// ErrTimeLimit is wrapped by [Attempt.Err] if the attempt's own time was up. With
// [Connect] it was the time for connecting, with [Timeout] that for reading.
var ErrTimeLimit = errors.New("time limit of the attempt reached")

var (
	errUnreadable = errors.New("unreadable answer")
	errResend     = errors.New("the reused connection died before it had answered")
)

// attempt sends the call once and completes a. Connecting and reading have their
// own limits; one timer serves both, restarted at the moment the connection is
// ours.
func (c *Client) attempt(ctx context.Context, call *call, a *Attempt) Response {
	limited, cancel := context.WithCancelCause(ctx)
	defer cancel(nil) // also ends the dial and everything else that is still under way
	timer := time.AfterFunc(c.cfg.Limit(c.cfg.Policy, Connecting, call.deadline.Sub(c.cfg.Now())), func() { cancel(ErrTimeLimit) })
	defer timer.Stop()
	var connected atomic.Bool
	traced := httptrace.WithClientTrace(withAttempt(limited), &httptrace.ClientTrace{
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
				timer.Reset(c.cfg.Limit(c.cfg.Policy, Reading, call.deadline.Sub(c.cfg.Now())))
			}
		},
	})
	resp, err := c.exchange(traced, call)
	a.End, a.Status, resp.CorrelationID = c.cfg.Now(), resp.Status, call.CorrelationID
	switch {
	case err == nil:
		if a.Class = c.cfg.Judge(resp.Status); a.Class != Answered {
			a.Err = fmt.Errorf("answered %d", resp.Status)
			a.RetryAfter = c.cfg.RetryAfter(resp.Header, a.End)
		}
	case errors.Is(err, errUnreadable):
		a.Class, a.Err = Unreadable, err
	case errors.Is(ctx.Err(), context.Canceled) && a.End.Before(call.deadline):
		a.Class, a.Err = Cancelled, cancellation(ctx)
	default:
		a.Class, a.Err = broken(err, context.Cause(limited), connected.Load())
	}
	a.Unknown = !safe(call.Method) && connected.Load() && doubtful(*a)
	return resp
}

// exchange does one round trip and reads the answer.
func (c *Client) exchange(ctx context.Context, call *call) (Response, error) {
	r := call.template.WithContext(ctx)
	if c.cfg.Wrap != nil {
		r.Header = r.Header.Clone() // what a wrapper does to it stays in this attempt
	}
	if len(call.body) > 0 {
		// Without GetBody: what net/http cannot rewind it does not send again.
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(call.body)), int64(len(call.body))
	}
	resp, err := c.send.RoundTrip(r)
	if err != nil {
		return Response{}, err
	}
	defer resp.Body.Close() // with the connection, unless the body was read to its end
	got := Response{Status: resp.StatusCode, Header: resp.Header}
	switch {
	case c.cfg.Judge(got.Status) != Answered:
		// Nobody will see the body. A peer in trouble may never finish it, and the
		// next attempt may find a healthier one behind another connection.
		return got, nil
	case got.Status == http.StatusSwitchingProtocols:
		return got, fmt.Errorf("%w: it speaks another protocol, for which nobody asked", errUnreadable)
	case !safe(r.Method) && got.Status < 300 && resp.ContentLength < 0 && len(resp.TransferEncoding) == 0:
		// It ends with the connection: one that was cut off would look the same.
		return got, fmt.Errorf("%w: it has neither a length nor chunks", errUnreadable)
	}
	if r.Method != http.MethodHead { // whose answers have the length of another body
		got.Body, err = read(resp, c.cfg.Policy.MaxBody)
	}
	return got, err
}

// read returns the whole body. One that says how long it is gets exactly that
// much room, unless it says a lot.
func read(resp *http.Response, most int64) ([]byte, error) {
	if n := resp.ContentLength; n > 0 && n <= min(most, 64<<10) {
		body := make([]byte, n)
		_, err := io.ReadFull(resp.Body, body)
		return body, err
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, most+1))
	if err == nil && int64(len(body)) > most {
		err = fmt.Errorf("%w: it is longer than %d bytes", errUnreadable, most)
	}
	return body, err
}
