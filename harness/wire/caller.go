package wire

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"time"
)

// caller is one connection of a caller, served one exchange at a time.
type caller struct {
	conn    *net.TCPConn
	in      *bufio.Reader
	n       int64         // number on the link
	left    chan struct{} // closed when the caller leaves while it is watched
	watched chan struct{} // closed when the watch ended
}

func newCaller(conn *net.TCPConn, n int64) *caller {
	return &caller{conn: conn, in: bufio.NewReaderSize(conn, 16<<10), n: n}
}

// watch notices when the caller leaves during an exchange. Peeking keeps what a
// pipelining caller sends meanwhile; once the buffer is full of it there is
// nothing more to notice.
func (c *caller) watch() {
	left, watched := make(chan struct{}), make(chan struct{})
	c.left, c.watched = left, watched
	go func() {
		defer close(watched)
		for {
			_, err := c.in.Peek(c.in.Buffered() + 1)
			switch {
			case err == nil:
				continue
			case !errors.Is(err, bufio.ErrBufferFull) && !errors.Is(err, os.ErrDeadlineExceeded):
				close(left)
			}
			return
		}
	}()
}

// unwatch ends the watch, after which the connection may be read again.
func (c *caller) unwatch() {
	past := time.Unix(1, 0)
	_ = c.conn.SetReadDeadline(past) // fails only on a closed connection, which ends the watch as well
	<-c.watched
	_ = c.conn.SetReadDeadline(time.Time{})
}

// gone reports whether the caller has left.
func (c *caller) gone() bool {
	select {
	case <-c.left:
		return true
	default:
		return false
	}
}

// reset ends the connection with RST. An RST makes the kernel forget what it
// has not delivered yet, so the bytes before the cut are waited for.
func (c *caller) reset(ctx context.Context) {
	c.drain(ctx)
	_ = c.conn.SetLinger(0)
	_ = c.conn.Close()
}

// drain waits until the caller's kernel has acknowledged every byte, which ends
// at the latest when the caller leaves. The kernel has no event for it.
func (c *caller) drain(ctx context.Context) {
	const pause = 200 * time.Microsecond
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for {
		queued, err := unsent(c.conn)
		if queued == 0 || err != nil {
			return
		}
		select {
		case <-tick.C:
		case <-c.left:
			return
		case <-ctx.Done():
			return
		}
	}
}

// close ends the connection with FIN.
func (c *caller) close() {
	_ = c.conn.CloseWrite()
	_ = c.conn.Close()
}

// hangUp ends the connection of a caller that may still be sending: closing it
// with unread bytes would be an RST, which could overtake the answer.
func (c *caller) hangUp() {
	const patience = time.Second
	_ = c.conn.CloseWrite()
	_ = c.conn.SetReadDeadline(time.Now().Add(patience))
	_, _ = io.Copy(io.Discard, c.in)
	_ = c.conn.Close()
}
