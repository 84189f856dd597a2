package client

import (
	"context"
	"errors"
	"net/http"
)

// Client makes bounded calls. It is safe for concurrent use.
type Client struct {
	cfg       Config
	transport *http.Transport
	send      http.RoundTripper
}

// New returns a Client.
func New(cfg Config) *Client {
	cfg = cfg.complete()
	c := &Client{cfg: cfg, transport: transport(cfg)}
	c.send = c.transport
	if cfg.Wrap != nil {
		c.send = cfg.Wrap(c.transport)
	}
	return c
}

// CloseIdle drops pooled connections; calls under way keep theirs.
func (c *Client) CloseIdle() { c.transport.CloseIdleConnections() }

// Do makes the call and returns the peer's answer, whatever it says; all of 4xx
// but 429 is an answer. Without one the error is an [*Error], the Journal's, or
// [ErrInvalid] for a request that cannot be sent.
func (c *Client) Do(ctx context.Context, req Request) (Response, error) {
	call, err := c.prepare(ctx, req)
	if err != nil {
		return Response{}, err
	}
	ctx, ended := c.cfg.Observer.Call(ctx, call.Call)
	resp, attempts, err := c.run(ctx, call)
	ended(Outcome{Result: result(err), Status: resp.Status, Attempts: attempts})
	return resp, err
}

// run sends the call until there is an answer, or a reason to stop.
func (c *Client) run(ctx context.Context, call *call) (Response, int, error) {
	failure := Error{Err: errUnsent, retryable: call.repeatable}
	for n := call.first; n <= call.last; n++ {
		now := c.cfg.Now()
		if ctx.Err() != nil || !now.Before(call.deadline) {
			break
		}
		a := Attempt{Number: n, Start: now}
		resp, err := c.try(ctx, call, &a)
		if err != nil {
			if a.Class != "" {
				failure.add(a, false)
			}
			return Response{}, failure.Attempts, err
		}
		if a.Class == Answered {
			resp.Attempts = failure.Attempts + 1
			return resp, resp.Attempts, nil
		}
		transient := c.cfg.Classify(a)
		failure.add(a, transient && call.repeatable)
		if !transient || n == call.last || !c.cfg.Pause(ctx, c.cfg.Wait(c.cfg.Policy, n, a.RetryAfter), call.deadline.Sub(c.cfg.Now())) {
			break
		}
	}
	failed := failure // a copy, so that only calls that fail pay for an error
	failed.Target, failed.CorrelationID = call.Method+" "+call.Dependency, call.CorrelationID
	return Response{}, failed.Attempts, failed.end(ctx, !c.cfg.Now().Before(call.deadline))
}

// errUnsent is the reason where no attempt was made: no time was left, or all
// attempts were spent earlier.
var errUnsent = errors.New("no attempt was left to make")

// try makes one attempt and writes it down before and after.
func (c *Client) try(ctx context.Context, call *call, a *Attempt) (Response, error) {
	if err := call.journal.Began(*a); err != nil {
		return Response{}, err
	}
	watched, ended := c.cfg.Observer.Attempt(ctx, call.Call, *a)
	resp := c.attempt(watched, call, a)
	ended(*a)
	return resp, call.journal.Ended(*a)
}

func result(err error) Result {
	if failure := (*Error)(nil); errors.As(err, &failure) {
		return failure.result()
	}
	if err != nil {
		return ResultAborted
	}
	return ResultAnswered
}
