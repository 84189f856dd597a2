package gateway

import (
	"context"
	"strings"
	"sync/atomic"

	"github.com/oncecheck/oncecheck/reference/client"
)

// Gateway serves the catalog. It is an [http.Handler].
type Gateway struct {
	Config
	instruments instruments
	client      *client.Client
	base        atomic.Pointer[string]
	stopped     context.Context
	stop        context.CancelFunc
}

// New returns a Gateway made of cfg.
func New(cfg Config) (*Gateway, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	counted, err := measure(cfg.Meter, cfg.Resilience)
	if err != nil {
		return nil, err
	}
	retries := cfg.Client.Retries
	cfg.Client.Retries = func() bool { return cfg.Resilience.On() && retries() }
	g := &Gateway{Config: cfg, instruments: counted, client: client.New(cfg.Client)}
	g.stopped, g.stop = context.WithCancel(context.Background())
	g.Redirect(cfg.Base)
	return g, nil
}

// Redirect sends calls that start from now on to another base URL.
func (g *Gateway) Redirect(base string) {
	base = strings.TrimRight(base, "/")
	g.base.Store(&base)
	g.client.CloseIdle()
}

// Stop makes all calls under way give up soon.
func (g *Gateway) Stop() {
	g.stop()
	g.client.CloseIdle()
}
