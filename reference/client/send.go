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

var errTimeLimit = errors.New("time limit of the attempt reached")

// attempt sends req once and completes a. Connecting and reading have their own
// limits; one timer serves both, restarted at the moment the connection is ours.
func (c *Client) attempt(ctx context.Context, req Request, a *Attempt, deadline time.Time) Response {
	limited, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timer := time.AfterFunc(min(c.policy.Connect, time.Until(deadline)), func() { cancel(errTimeLimit) })
	defer timer.Stop()
	var connected atomic.Bool
	limited = httptrace.WithClientTrace(limited, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) {
			connected.Store(true)
			timer.Reset(min(c.policy.Read, time.Until(deadline)))
		},
	})

	resp, err := c.exchange(limited, req)
	a.End = time.Now()
	a.Status = resp.Status
	switch {
	case err == nil:
		a.Class = classOf(resp.Status)
		a.RetryAfter = parseRetryAfter(resp.Header.Get("Retry-After"), a.End)
		a.Err = fmt.Errorf("answered %d", resp.Status)
	case errors.Is(err, errUnreadable):
		a.Class, a.Err = Unreadable, err
	case ctx.Err() != nil && a.End.Before(deadline):
		a.Class, a.Err = Stopped, context.Cause(ctx)
	case !connected.Load():
		a.Class, a.Err = Connect, err
	case context.Cause(limited) != nil:
		a.Class, a.Err = Timeout, context.Cause(limited)
	default:
		a.Class, a.Err = Reset, err
	}
	a.Unknown = mutating(req.Method) && connected.Load() && doubtful(*a)
	return resp
}

// doubtful reports whether an attempt that reached the peer leaves its outcome
// open. 429 and 503 say that the request was turned away; other 5xx say that
// something broke, not what had been done by then.
func doubtful(a Attempt) bool {
	switch a.Class {
	case Answered, Throttled:
		return false
	case ServerError:
		return a.Status != http.StatusServiceUnavailable
	}
	return true
}

func classOf(status int) Class {
	switch {
	case status == http.StatusTooManyRequests:
		return Throttled
	case status >= 500:
		return ServerError
	}
	return Answered
}

var errUnreadable = errors.New("unreadable answer")

// exchange does one round trip and reads the whole answer.
func (c *Client) exchange(ctx context.Context, req Request) (Response, error) {
	r, err := http.NewRequestWithContext(ctx, req.Method, req.URL, nil)
	if err != nil {
		return Response{}, fmt.Errorf("build request: %w", err)
	}
	// A body without GetBody is what net/http cannot re-send by itself; that
	// holds for an empty body too.
	r.Body = io.NopCloser(bytes.NewReader(req.Body))
	r.ContentLength = int64(len(req.Body))
	r.Header.Set("Accept", "application/json")
	if len(req.Body) > 0 {
		r.Header.Set("Content-Type", "application/json")
	}
	if req.Key != "" {
		r.Header.Set("Idempotency-Key", req.Key)
	}
	if req.CorrelationID != "" {
		r.Header.Set("X-Correlation-ID", req.CorrelationID)
	}
	resp, err := c.send.RoundTrip(r)
	if err != nil {
		return Response{}, err
	}
	defer resp.Body.Close()
	return c.read(req, resp)
}

// read bounds the body. A mutating success that simply ends with the connection
// is refused, for a cut-off one would look the same.
func (c *Client) read(req Request, resp *http.Response) (Response, error) {
	got := Response{Status: resp.StatusCode, Header: resp.Header}
	if got.Status == http.StatusSwitchingProtocols {
		return got, nil // what follows is not a body
	}
	if mutating(req.Method) && got.Status < 300 && resp.ContentLength < 0 && len(resp.TransferEncoding) == 0 {
		return got, fmt.Errorf("%w: it has neither a length nor chunks", errUnreadable)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, c.policy.MaxBody+1))
	if err != nil {
		return got, fmt.Errorf("read the answer's body: %w", err)
	}
	if int64(len(body)) > c.policy.MaxBody {
		return got, fmt.Errorf("%w: it is longer than %d bytes", errUnreadable, c.policy.MaxBody)
	}
	got.Body = body
	return got, nil
}
