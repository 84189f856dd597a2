package stack

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// The paths of an instance's admin listener.
const (
	pathDependencies = "/dependencies"
	pathSettings     = "/settings"
	pathCrash        = "/crash"
	pathMetrics      = "/metrics"
)

// adminClient speaks to the admin listeners of instances.
type adminClient struct {
	limit time.Duration
	http  *http.Client
}

func newAdminClient(limit time.Duration) *adminClient {
	// A connection of its own for each request: nothing stays open towards a
	// process that may be killed, and nothing is sent twice by the transport.
	return &adminClient{limit: limit, http: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}
}

// push replaces what an instance goes by, such as the base URLs that it calls,
// and returns once it has confirmed that.
func (c *adminClient) push(ctx context.Context, admin, path string, in any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("encode what to push to %s: %w", path, err)
	}
	_, err = c.exchange(ctx, http.MethodPut, admin, path, body)
	return err
}

// get reads what an instance says of itself.
func (c *adminClient) get(ctx context.Context, admin, path string, out any) error {
	text, err := c.text(ctx, admin, path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, out); err != nil {
		return fmt.Errorf("GET %s: %w", path, err)
	}
	return nil
}

func (c *adminClient) text(ctx context.Context, admin, path string) ([]byte, error) {
	return c.exchange(ctx, http.MethodGet, admin, path, nil)
}

func (c *adminClient) exchange(ctx context.Context, method, admin, path string, body []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	target := "http://" + admin + path
	req, err := http.NewRequestWithContext(ctx, method, target, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, target, err)
	}
	if len(body) > 0 {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("speak to the instance: %w", err) // it names method and URL
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, target, err)
	}
	if resp.StatusCode/100 != 2 {
		return nil, fmt.Errorf("%s %s answered %s: %s", method, target, resp.Status, bytes.TrimSpace(text[:min(len(text), 512)]))
	}
	return text, nil
}
