package stack

import (
	"context"
	"net"
	"sync/atomic"

	"github.com/oncecheck/oncecheck/reference/exchange"
)

// lookups finds the dependencies of a client: as the machine does, until it is
// told whom to ask. It is Go's own resolver throughout, for that is the one that
// can be told.
type lookups struct{ resolver atomic.Pointer[string] }

// dialer returns what dials for the client.
func (l *lookups) dialer() *net.Dialer {
	resolver := exchange.Resolver(l.ask)
	resolver.PreferGo = true
	return &net.Dialer{Resolver: resolver}
}

// ask connects to a resolver, given the one that the machine names.
func (l *lookups) ask(ctx context.Context, network, address string) (net.Conn, error) {
	if told := l.resolver.Load(); told != nil {
		network, address = "udp", *told
	}
	return (&net.Dialer{}).DialContext(ctx, network, address)
}

// Resolve implements [shim.Resolving].
func (l *lookups) Resolve(_ context.Context, address string) error {
	if _, _, err := net.SplitHostPort(address); err != nil {
		return err
	}
	l.resolver.Store(&address)
	return nil
}
