package shim

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"

	"github.com/oncecheck/oncecheck/harness"
)

// notSent marks an error of connecting: the shim cannot have seen the request.
func notSent(err error) error {
	if dial := (*net.OpError)(nil); errors.As(err, &dial) && dial.Op == "dial" {
		return fmt.Errorf("%w: %w", harness.ErrNotSent, err)
	}
	return err
}

// Seed has the client store a result that is safe to fall back to.
func (c *Client) Seed(ctx context.Context, seed Seed) error {
	return c.ask(ctx, http.MethodPost, "/v1/fallback", seed, nil)
}

// Reset has the client forget connections, stored results and open circuits.
func (c *Client) Reset(ctx context.Context) error {
	return c.ask(ctx, http.MethodPost, "/v1/reset", struct{}{}, nil)
}

// Trust has the client trust an authority, given in PEM, from now on.
func (c *Client) Trust(ctx context.Context, caPEM []byte) error {
	return c.ask(ctx, http.MethodPost, "/v1/trust", Trust{CAPEM: string(caPEM)}, nil)
}

// Resolve has the client ask the resolver at this address for names from now on.
func (c *Client) Resolve(ctx context.Context, address string) error {
	return c.ask(ctx, http.MethodPost, "/v1/resolver", Resolver{Address: address}, nil)
}

// Sockets asks how many sockets the client holds.
func (c *Client) Sockets(ctx context.Context) (int, error) {
	var stats struct {
		Sockets *int `json:"sockets"`
	}
	if err := c.ask(ctx, http.MethodGet, "/v1/stats", nil, &stats); err != nil {
		return 0, err
	}
	if stats.Sockets == nil || *stats.Sockets < 0 {
		return 0, c.wrong("/v1/stats", errors.New("it does not say how many sockets there are: the member sockets is missing"))
	}
	return *stats.Sockets, nil
}

// Logs returns what the client logged.
func (c *Client) Logs(ctx context.Context) ([]byte, error) {
	return c.exchange(ctx, http.MethodGet, "/v1/logs", nil)
}

// Metrics returns what the client measured, in Prometheus text form.
func (c *Client) Metrics(ctx context.Context) ([]byte, error) {
	return c.exchange(ctx, http.MethodGet, "/v1/metrics", nil)
}
