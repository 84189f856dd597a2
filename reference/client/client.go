package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/reference/exchange"
)

// Client makes bounded calls. It is safe for concurrent use.
type Client struct {
	cfg    Config
	sender *exchange.Sender
}

// New returns a Client.
func New(cfg Config) *Client { return &Client{cfg: cfg, sender: exchange.New(cfg.Config)} }

// CloseIdle drops pooled connections; calls under way keep theirs.
func (c *Client) CloseIdle() { c.sender.CloseIdle() }

// Do makes the call and returns the peer's answer, whatever it says; all of 4xx
// but 429 is an answer. Without one the error is an [*Error], the Journal's, or
// [ErrInvalid] for a request that cannot be sent.
func (c *Client) Do(ctx context.Context, req Request) (Response, error) {
	call, err := c.prepare(ctx, req)
	if err != nil {
		return Response{}, err
	}
	ctx, ended := c.cfg.Observer.Call(ctx, call.Call)
	resp, err := c.run(ctx, call)
	ended(call.Outcome)
	return resp, err
}

// errUnsent is the reason where no attempt was made: no time was left, or all
// attempts were spent earlier.
var errUnsent = errors.New("no attempt was left to make")

// run sends the call until there is an answer, or a reason to stop.
func (c *Client) run(ctx context.Context, call *call) (Response, error) {
	last, unknown, again := Attempt{Err: errUnsent}, false, call.repeatable
	for n := call.used + 1; n <= call.most && ctx.Err() == nil && c.left(call) > 0; n++ {
		last = Attempt{Number: n, Start: c.cfg.Now()}
		resp, err := c.try(ctx, call, &last)
		if err != nil {
			call.Code = CodeAborted
			return Response{}, err
		}
		if last.Class == Answered {
			call.Code = CodeAnswered
			return resp, nil
		}
		transient := c.cfg.Classify(last)
		unknown, again = unknown || last.Unknown, transient && call.repeatable
		if !transient || n == call.most || !c.cfg.Pause(ctx, c.cfg.Wait(c.cfg.Policy, n, last.RetryAfter), c.left(call)) {
			break
		}
	}
	return Response{}, c.failure(ctx, call, last, unknown, again)
}

// left is what remains of the call's time. The clock says so and not ctx.Err():
// under load a timer may fire late.
func (c *Client) left(call *call) time.Duration { return call.deadline.Sub(c.cfg.Now()) }

// try makes one attempt and writes it down before and after.
func (c *Client) try(ctx context.Context, call *call, a *Attempt) (Response, error) {
	if err := call.journal.Began(*a); err != nil {
		return Response{}, err
	}
	call.Attempts++
	watched, ended := c.cfg.Observer.Attempt(ctx, call.Call, *a)
	resp := c.send(watched, call, a)
	ended(*a)
	return resp, call.journal.Ended(*a)
}

// send sends the call once and completes a.
func (c *Client) send(ctx context.Context, call *call, a *Attempt) Response {
	got := c.sender.Send(ctx, call.template, call.body, exchange.Limits{
		Limit:   func(as Class) time.Duration { return c.cfg.Limit(c.cfg.Policy, as, c.left(call)) },
		MaxBody: c.cfg.Policy.MaxBody,
		Wanted:  func(status int) bool { return c.cfg.Judge(status) == Answered },
	})
	a.End, a.Class, a.Status, a.Err = c.cfg.Now(), got.Class, got.Status, got.Err
	switch {
	case got.Err != nil && a.Class != Unreadable && errors.Is(ctx.Err(), context.Canceled) && a.End.Before(call.deadline):
		a.Class, a.Err = Cancelled, cancellation(ctx)
	case got.Err == nil:
		if a.Class = c.cfg.Judge(got.Status); a.Class != Answered {
			a.Err = fmt.Errorf("answered %d", got.Status)
			a.RetryAfter = c.cfg.RetryAfter(got.Header, a.End)
		}
	}
	a.Unknown = !exchange.Safe(call.Method) && got.Reached && doubtful(*a)
	return Response{got.Status, got.Header, got.Body, call.CorrelationID, call.Attempts}
}
