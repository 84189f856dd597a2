package exchange

import (
	"cmp"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"time"
)

// Config says how connections are made. Start from [Defaults].
type Config struct {
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	TLS  *tls.Config                               // whom to trust; nil: whom the machine trusts
	Wrap func(http.RoundTripper) http.RoundTripper // around the transport, once per send
}

// Defaults returns the right Config.
func Defaults() Config {
	return Config{
		Dial: (&net.Dialer{Resolver: Resolver((&net.Dialer{}).DialContext)}).DialContext,
		Wrap: func(transport http.RoundTripper) http.RoundTripper { return transport },
	}
}

// Resolver returns Go's resolver with its questions going where dial connects to.
// Each ends with the lookup that asks it: left to itself the resolver does not
// hear that nobody waits any more, and listens on for seconds. Where the machine
// resolves names in C instead, that cannot be helped.
func Resolver(dial func(ctx context.Context, network, addr string) (net.Conn, error)) *net.Resolver {
	return &net.Resolver{Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		if err == nil {
			context.AfterFunc(ctx, func() { _ = conn.Close() })
		}
		return conn, err
	}}
}

// Sender sends requests over a pool of connections. It is safe for concurrent use.
type Sender struct {
	transport *http.Transport
	wrapped   http.RoundTripper
}

// New returns a Sender.
func New(cfg Config) *Sender {
	t := transport(cfg)
	return &Sender{transport: t, wrapped: cfg.Wrap(t)}
}

// CloseIdle drops pooled connections; sends under way keep theirs.
func (s *Sender) CloseIdle() { s.transport.CloseIdleConnections() }

// transport returns a pool of HTTP/1.1 connections and nothing more. It is used
// without http.Client, which would follow redirects, and with dialers of our own,
// which keeps net/http from offering HTTP/2: that re-sends on GOAWAY behind our
// back. Proxies of the environment are not used, for their answers are not the
// peer's.
func transport(cfg Config) *http.Transport {
	dial := func(ctx context.Context, network, addr string) (net.Conn, error) {
		return cfg.Dial(sending(ctx), network, addr)
	}
	return &http.Transport{
		DialContext: dial,
		// Left to net/http the handshake would have a limit of its own, on top of the
		// dial's. Here one context is that of both.
		DialTLSContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			raw, err := dial(ctx, network, addr)
			if err != nil {
				return nil, err
			}
			trust := cmp.Or(cfg.TLS, &tls.Config{}).Clone()
			host, _, _ := net.SplitHostPort(addr) // without one nobody is trusted
			trust.ServerName, trust.NextProtos = cmp.Or(trust.ServerName, host), []string{"http/1.1"}
			conn := tls.Client(raw, trust)
			if err := conn.HandshakeContext(sending(ctx)); err != nil {
				_ = raw.Close()
				return nil, err
			}
			return conn, nil
		},
		DisableCompression:     true, // an answer is returned as it was sent
		MaxIdleConnsPerHost:    32,
		IdleConnTimeout:        30 * time.Second,
		MaxResponseHeaderBytes: 1 << 20, // all 1xx answers before the real one included
	}
}

type sendKey struct{}

// sending returns the context of the send that a dial is made for, where there is
// one. Net/http dials under a context that keeps a request's values and not its
// end, since somebody else might use the connection later; a dial that outlives
// its send is a leak to us, and one more knock at a door that may be overrun
// already.
func sending(ctx context.Context) context.Context {
	if of, ok := ctx.Value(sendKey{}).(context.Context); ok {
		return of
	}
	return ctx
}
