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

// push replaces the base URLs that an instance calls and returns once it has
// confirmed them.
func (c *adminClient) push(ctx context.Context, admin string, urls map[string]string) error {
	ctx, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	body, err := json.Marshal(urls)
	if err != nil {
		return fmt.Errorf("encode dependency addresses: %w", err)
	}
	target := "http://" + admin + "/dependencies"
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, target, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("push dependency addresses: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		return fmt.Errorf("push dependency addresses: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode/100 != 2 {
		said, _ := io.ReadAll(io.LimitReader(resp.Body, 512)) // what there is of an explanation
		return fmt.Errorf("push dependency addresses: PUT %s answered %s: %s", target, resp.Status, bytes.TrimSpace(said))
	}
	return nil
}
