package shim

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// alone returns an HTTP client whose connections are used once: a kept one could
// be dead by the next call, and a call that is sent again would be made twice.
func alone() *http.Client {
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// ask sends one request to the shim and reads its answer into out, unless that
// is nil. Whatever goes wrong is an error of the tool and names the shim.
func (c *Client) ask(ctx context.Context, method, path string, in, out any) error {
	text, err := c.exchange(ctx, method, path, in)
	if err != nil {
		return err
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(text, out); err != nil {
		return c.wrong(path, fmt.Errorf("its answer is not the JSON that the protocol asks for: %w", err))
	}
	return nil
}

// exchange sends one request to the shim and returns the body of its answer.
func (c *Client) exchange(ctx context.Context, method, path string, in any) ([]byte, error) {
	var body io.Reader
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return nil, c.wrong(path, err)
		}
		body = bytes.NewReader(data)
	}
	r, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return nil, c.wrong(path, fmt.Errorf("%w: %w", harness.ErrNotSent, err))
	}
	if in != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	response, err := c.http.Do(r)
	if err != nil {
		return nil, c.wrong(path, reason(ctx, err))
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxMessage+1))
	switch {
	case err != nil:
		return nil, c.wrong(path, fmt.Errorf("its answer broke off: %w", reason(ctx, err)))
	case len(text) > maxMessage:
		return nil, c.wrong(path, fmt.Errorf("its answer is larger than %d MiB", maxMessage>>20))
	case response.StatusCode < 200 || response.StatusCode > 299:
		return nil, c.wrong(path, fmt.Errorf("it answered status %d%s", response.StatusCode, said(text)))
	}
	return text, nil
}

// wrong names the shim and the endpoint in an error.
func (c *Client) wrong(path string, err error) error {
	return fmt.Errorf("shim %s%s: %w", c.base, path, err)
}

// said returns what a refusal says about itself.
func said(text []byte) string {
	var object struct{ Error string }
	if json.Unmarshal(text, &object) == nil && object.Error != "" {
		return ": " + object.Error
	}
	if line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n"); line != "" {
		return ": " + line[:min(len(line), 200)]
	}
	return ""
}

// reason says why an exchange failed: which limit ended it, or what the
// connection said. The URL is named by the callers.
func reason(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if inner := (*url.Error)(nil); errors.As(err, &inner) {
		err = inner.Err
	}
	return notSent(err)
}
