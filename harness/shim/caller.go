package shim

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
)

// The headers in which a key and a correlation id travel.
const (
	KeyHeader         = "Idempotency-Key"
	CorrelationHeader = "X-Correlation-ID"
)

// Request returns the call as a request of net/http, for clients that take one.
func (c Call) Request(ctx context.Context) (*http.Request, error) {
	var body io.Reader
	if len(c.Body) > 0 {
		body = bytes.NewReader(c.Body)
	}
	r, err := http.NewRequestWithContext(ctx, c.Method, c.URL, body)
	if err != nil {
		return nil, fmt.Errorf("make the request: %w", err)
	}
	for _, line := range c.Headers {
		if strings.EqualFold(line[0], "Host") {
			r.Host = line[1]
			continue
		}
		r.Header.Add(line[0], line[1])
	}
	for name, value := range c.Principal.Header {
		r.Header.Set(name, value)
	}
	if c.IdempotencyKey != "" {
		r.Header.Set(KeyHeader, c.IdempotencyKey)
	}
	if c.CorrelationID != "" {
		r.Header.Set(CorrelationHeader, c.CorrelationID)
	}
	return r, nil
}

// Responded returns the result of a call that brought a response. It reads the
// body and closes it; a body that breaks off is an error of the call, as it is
// for any caller of a client that hands bodies out unread.
func Responded(ctx context.Context, response *http.Response) Result {
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return Failed(ctx, fmt.Errorf("read the response: %w", err))
	}
	result := Result{Outcome: OutcomeResponse, Status: response.StatusCode, Body: body}
	names := make([]string, 0, len(response.Header))
	for name := range response.Header {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		for _, value := range response.Header[name] {
			result.Headers = append(result.Headers, [2]string{name, value})
		}
	}
	return result
}

// Failed returns the result of a call that brought an error. It is a cancelled
// call if the error says that the context was cancelled, and it was. What the error says by methods Code() string, HTTPStatus() int,
// Retryable() bool and CorrelationID() string is taken over.
func Failed(ctx context.Context, err error) Result {
	if errors.Is(err, context.Canceled) && errors.Is(ctx.Err(), context.Canceled) {
		return Result{Outcome: OutcomeCancelled}
	}
	result := Result{Outcome: OutcomeError, Error: &Error{Message: err.Error()}}
	if e := (interface{ Code() string })(nil); errors.As(err, &e) {
		result.Error.Code = e.Code()
	}
	if e := (interface{ HTTPStatus() int })(nil); errors.As(err, &e) {
		result.Status = e.HTTPStatus()
	}
	if e := (interface{ Retryable() bool })(nil); errors.As(err, &e) {
		result.Error.Retryable = e.Retryable()
	}
	if e := (interface{ CorrelationID() string })(nil); errors.As(err, &e) {
		result.Error.CorrelationID = e.CorrelationID()
	}
	return result
}
