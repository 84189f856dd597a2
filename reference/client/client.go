package client

import (
	"context"
	"net"
	"net/http"
	"strings"
	"time"
)

// Config says how a [Client] behaves. Zero fields mean the default.
type Config struct {
	Policy   Policy
	Classify Classifier
	Dial     func(ctx context.Context, network, addr string) (net.Conn, error)
	Wrap     func(http.RoundTripper) http.RoundTripper // around the transport, once per attempt
}

// Client makes bounded calls. It is safe for concurrent use.
type Client struct {
	policy    Policy
	classify  Classifier
	transport *http.Transport
	send      http.RoundTripper
}

// New returns a Client.
func New(cfg Config) *Client {
	if cfg.Policy == (Policy{}) {
		cfg.Policy = DefaultPolicy()
	}
	if cfg.Classify == nil {
		cfg.Classify = Transient
	}
	if cfg.Dial == nil {
		cfg.Dial = (&net.Dialer{}).DialContext
	}
	// A transport with its own dialer speaks HTTP/1 only: HTTP/2 would re-send
	// on GOAWAY behind our back. It is used without http.Client, which would
	// follow redirects.
	transport := &http.Transport{
		DialContext:         bounded(cfg),
		TLSHandshakeTimeout: cfg.Policy.Connect,
		DisableCompression:  true,
		MaxIdleConnsPerHost: 32,
		IdleConnTimeout:     30 * time.Second,
	}
	c := &Client{policy: cfg.Policy, classify: cfg.Classify, transport: transport, send: transport}
	if cfg.Wrap != nil {
		c.send = cfg.Wrap(transport)
	}
	return c
}

// bounded gives dials a limit of their own: cancelling a request does not end
// its dial, for net/http keeps it for whoever asks next.
func bounded(cfg Config) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, cfg.Policy.Connect)
		defer cancel()
		return cfg.Dial(ctx, network, addr)
	}
}

// CloseIdle drops pooled connections; calls under way keep theirs.
func (c *Client) CloseIdle() { c.transport.CloseIdleConnections() }

// Request is one call.
type Request struct {
	Method        string
	URL           string
	Key           string // Idempotency-Key; a mutating call without one is sent once
	CorrelationID string
	Body          []byte // JSON, or nil
	Used          int    // attempts that earlier processes already spent on this call
	Journal       Journal
}

// Response is a complete answer, with a status below 500 that is not 429.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Do makes the call and returns the peer's answer, whatever it says; all of 4xx
// but 429 is an answer. Without one the error is an [*Error], or the Journal's.
func (c *Client) Do(ctx context.Context, req Request) (Response, error) {
	if req.Journal == nil {
		req.Journal = noJournal{}
	}
	deadline := time.Now().Add(c.policy.Total)
	if d, ok := ctx.Deadline(); ok && d.Before(deadline) {
		deadline = d
	}
	limit := c.policy.Attempts
	if req.Key == "" && mutating(req.Method) {
		limit = 1
	}
	failure := &Error{Target: target(req), Err: context.DeadlineExceeded}
	for n := req.Used + 1; n <= limit && ctx.Err() == nil && time.Now().Before(deadline); n++ {
		attempt := Attempt{Number: n, Start: time.Now()}
		if err := req.Journal.Began(attempt); err != nil {
			return Response{}, err
		}
		resp := c.attempt(ctx, req, &attempt, deadline)
		if err := req.Journal.Ended(attempt); err != nil {
			return Response{}, err
		}
		if attempt.Class == Answered {
			return resp, nil
		}
		failure.add(attempt)
		if n == limit || !c.classify(attempt) || !pause(ctx, c.policy.wait(n, attempt.RetryAfter), deadline) {
			break
		}
	}
	// The clock decides, not ctx.Err(): under load a timer may fire late.
	failure.Timeout = failure.Timeout || !time.Now().Before(deadline)
	return Response{}, failure
}

// pause waits for d and reports true, or reports false: at once if d does not
// fit before the deadline, for a retry that cannot happen is not worth waiting
// for, or when ctx ends.
func pause(ctx context.Context, d time.Duration, deadline time.Time) bool {
	if d >= time.Until(deadline) {
		return false
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func mutating(method string) bool {
	return method != http.MethodGet && method != http.MethodHead
}

func target(req Request) string {
	url, _, _ := strings.Cut(req.URL, "?")
	return req.Method + " " + url
}
