package client

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"time"
)

// transport returns a pool of HTTP/1.1 connections and nothing more. It is used
// without http.Client, which would follow redirects, and with dialers of our own,
// which keeps net/http from offering HTTP/2: that re-sends on GOAWAY behind our
// back. Proxies of the environment are not used, for their answers are not the
// peer's.
func transport(cfg Config) *http.Transport {
	return &http.Transport{
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			return cfg.Dial(attempted(ctx), network, addr)
		},
		DialTLSContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			return dialTLS(attempted(ctx), cfg, network, addr)
		},
		DisableCompression:     true, // an answer is returned as it was sent
		MaxIdleConnsPerHost:    32,
		IdleConnTimeout:        30 * time.Second,
		MaxResponseHeaderBytes: 1 << 20, // all 1xx answers before the real one included
	}
}

// dialTLS connects and shakes hands under one context. Left to net/http the
// handshake would have a limit of its own, on top of the dial's.
func dialTLS(ctx context.Context, cfg Config, network, addr string) (net.Conn, error) {
	raw, err := cfg.Dial(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	trust := cfg.TLS.Clone() // of nil it is nil
	if trust == nil {
		trust = &tls.Config{}
	}
	if trust.ServerName == "" {
		if trust.ServerName, _, err = net.SplitHostPort(addr); err != nil {
			return nil, err
		}
	}
	trust.NextProtos = []string{"http/1.1"}
	conn := tls.Client(raw, trust)
	if err := conn.HandshakeContext(ctx); err != nil {
		_ = raw.Close()
		return nil, err
	}
	return conn, nil
}

type attemptKey struct{}

// withAttempt lets a dial find the attempt that it is made for. Net/http dials
// under a context that keeps a request's values and not its end, since somebody
// else might use the connection later; a dial that outlives its call is a leak to
// us, and one more knock at a door that may be overrun already.
func withAttempt(ctx context.Context) context.Context {
	return context.WithValue(ctx, attemptKey{}, ctx)
}

// attempted returns the context of the attempt that ctx belongs to.
func attempted(ctx context.Context) context.Context {
	if of, ok := ctx.Value(attemptKey{}).(context.Context); ok {
		return of
	}
	return ctx
}
