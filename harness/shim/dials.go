package shim

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
)

// DialContext is how net/http and others make a connection.
type DialContext func(ctx context.Context, network, addr string) (net.Conn, error)

// Dials counts the sockets of a client whose dials go through it, those that
// never get anywhere included. It implements [Counter], for a [Caller] to embed.
// The zero value is ready to use.
type Dials struct{ open atomic.Int64 }

// Counted returns the dial, counted.
func (d *Dials) Counted(dial DialContext) DialContext {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		d.open.Add(1)
		conn, err := dial(ctx, network, addr)
		if err != nil {
			d.open.Add(-1)
			return nil, err
		}
		return &countedConn{Conn: conn, closed: func() { d.open.Add(-1) }}, nil
	}
}

// Sockets implements [Counter].
func (d *Dials) Sockets(context.Context) (int, error) { return int(d.open.Load()), nil }

// countedConn tells when it is closed, once.
type countedConn struct {
	net.Conn
	once   sync.Once
	closed func()
}

func (c *countedConn) Close() error {
	defer c.once.Do(c.closed)
	return c.Conn.Close()
}
