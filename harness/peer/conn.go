package peer

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"sync"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// conn is one connection of a caller, served one request at a time.
type conn struct {
	host   *host
	tcp    *net.TCPConn
	stream net.Conn // tcp, or the TLS on it
	in     *bufio.Reader
	ahead  []byte // what came while the connection was watched
	id     int64
	opened time.Duration

	mu       sync.Mutex
	parts    map[*peer]*part // what cases have of it, until they were told of its end
	busy     *peer           // whose request is being read or answered
	requests int             // of all cases
	secure   bool
	problem  string
	by       string        // who ended it first, empty while nobody has
	left     time.Duration // when the caller was seen to leave
}

// part is what one case has of a connection.
type part struct{ requests int }

func newConn(h *host, tcp *net.TCPConn, id int64) *conn {
	c := &conn{host: h, tcp: tcp, stream: tcp, id: id, opened: h.now(), parts: map[*peer]*part{}}
	c.in = bufio.NewReader(inbound{c})
	return c
}

// inbound reads what came while the connection was watched, then the stream.
type inbound struct{ *conn }

func (in inbound) Read(p []byte) (int, error) {
	if len(in.ahead) > 0 {
		n := copy(p, in.ahead)
		in.ahead = in.ahead[n:]
		return n, nil
	}
	return in.stream.Read(p)
}

// maxAhead is how much a caller may send while it waits for an answer. Beyond it
// the connection is no longer watched.
const maxAhead = 64 << 10

// watch notices when the caller leaves: left is closed then, and writes that are
// under way fail. Nobody else may read until stop has returned.
func (c *conn) watch() (left <-chan struct{}, stop func()) {
	gone, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, 4<<10)
		for len(c.ahead) < maxAhead {
			n, err := c.stream.Read(buf)
			c.ahead = append(c.ahead, buf[:n]...)
			switch {
			case err == nil:
				continue
			case !isTimeout(err):
				c.endedBy(harness.ByCaller)
				_ = c.tcp.SetWriteDeadline(past())
				close(gone)
			}
			return
		}
	}()
	return gone, func() {
		_ = c.tcp.SetReadDeadline(past()) // fails only on a closed connection, which ends the watch as well
		<-done
		_ = c.tcp.SetReadDeadline(time.Time{})
	}
}

// past is a deadline that has passed.
func past() time.Time { return time.Unix(1, 0) }

// endedBy notes who ended the connection; the first to do so counts. The time in
// which the caller left is kept whoever was first.
func (c *conn) endedBy(who string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.by == "" {
		c.by = who
	}
	if who == harness.ByCaller && c.left == 0 {
		c.left = c.host.now()
	}
}

// cut ends both directions at once.
func (c *conn) cut() {
	c.endedBy(harness.ByPeer)
	_ = c.tcp.Close()
}

// finish ends our direction with FIN. Clean tells a TLS caller that nothing is
// missing.
func (c *conn) finish(clean bool) {
	c.endedBy(harness.ByPeer)
	if secure, ok := c.stream.(*tls.Conn); ok && clean {
		_ = secure.CloseWrite()
	}
	_ = c.tcp.CloseWrite()
}

// linger waits until the caller's end is closed as well, or the case is over.
func (c *conn) linger(p *peer) {
	if p != nil && p.ctx.Err() != nil {
		c.cut()
	}
	_, _ = io.Copy(io.Discard, c.tcp)
	_ = c.tcp.Close()
}

// fault notes what went wrong on the connection.
func (c *conn) fault(problem string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.problem = problem
}

// enter makes the connection busy with a case. It fails if the case is over.
func (c *conn) enter(p *peer) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.parts[p] == nil {
		if !p.join() {
			return false
		}
		c.parts[p] = &part{}
	}
	c.busy = p
	return true
}

// read counts a request that was read in full, and reports whether it is the
// first on the connection.
func (c *conn) read(p *peer) (first bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests++
	if mine := c.parts[p]; mine != nil {
		mine.requests++
	}
	return c.requests == 1
}

// rest makes the connection idle. A case that ended meanwhile is told now.
func (c *conn) rest() {
	c.mu.Lock()
	p := c.busy
	c.busy = nil
	c.mu.Unlock()
	if p != nil && p.ctx.Err() != nil {
		_ = c.tcp.SetDeadline(time.Time{})
		c.release(p)
	}
}

// release tells a case that is over what it had of the connection. One that is
// busy with the case is interrupted instead: whatever it waits for fails now, and
// it tells by itself. An answer that just went out in full leaves it unharmed for
// the other cases.
func (c *conn) release(p *peer) {
	c.mu.Lock()
	mine := c.parts[p]
	if mine == nil || c.busy == p {
		defer c.mu.Unlock()
		if mine != nil {
			_ = c.tcp.SetDeadline(past())
		}
		return
	}
	delete(c.parts, p)
	record := c.record(mine.requests)
	c.mu.Unlock()
	if record.By == "" {
		record.By = harness.ByPeer
	}
	p.leave(record)
}

// gone tells all cases that the connection is over.
func (c *conn) gone() {
	_ = c.tcp.Close()
	c.endedBy(harness.ByCaller) // whatever we end is noted before
	c.mu.Lock()
	told := map[*peer]*harness.Connection{}
	for p, mine := range c.parts {
		told[p] = c.record(mine.requests)
	}
	clear(c.parts)
	stray := c.record(c.requests)
	c.mu.Unlock()
	for p, record := range told {
		p.leave(record)
	}
	if c.host.only == nil && len(told) == 0 && (stray.Requests == 0 || stray.Problem != "") {
		c.host.stray(harness.Event{Type: harness.ConnEvent, Conn: stray})
	}
}

// record describes the connection as it is now, of which a case had so many
// requests. The lock is held.
func (c *conn) record(requests int) *harness.Connection {
	r := &harness.Connection{ID: c.id, Opened: c.opened, Closed: c.host.now(), By: c.by, Requests: requests, Secure: c.secure, Problem: c.problem}
	if c.left > 0 {
		r.Closed = c.left
	}
	if to, ok := c.tcp.LocalAddr().(*net.TCPAddr); ok && c.host.many {
		r.At = to.IP.String()
	}
	return r
}
