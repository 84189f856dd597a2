package peer

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// host is an address with all its connections. Either it belongs to one peer, or
// the items in the requests' paths tell whose they are.
type host struct {
	clock   harness.Clock
	stray   func(harness.Event)
	only    *peer       // whose address it is; nil if it is shared
	tls     *tls.Config // nil for plain text
	deaf    bool        // it accepts, and never answers
	many    bool        // it is at all of this machine's own addresses
	ctx     context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup

	mu       sync.Mutex
	items    map[string]*peer
	conns    map[*conn]struct{}
	last     int64 // number of a connection
	listener *net.TCPListener
	closed   bool
}

func newHost(cfg Config) *host {
	h := &host{clock: cfg.Clock, stray: cfg.Stray, items: map[string]*peer{}, conns: map[*conn]struct{}{}}
	if h.clock.Base().IsZero() {
		h.clock = harness.NewClock()
	}
	if h.stray == nil {
		h.stray = func(harness.Event) {}
	}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	return h
}

func (h *host) now() time.Duration { return h.clock.Since(time.Now()) }

// accept serves the connections of a listener until the host is closed. It
// passes over one that came from the address skip.
func (h *host) accept(listener *net.TCPListener, skip string) {
	h.mu.Lock()
	h.listener = listener
	closed := h.closed
	h.mu.Unlock()
	if closed {
		_ = listener.Close()
	}
	for {
		tcp, err := listener.AcceptTCP()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // out of file descriptors: others have to be freed first
			select {
			case <-time.After(10 * time.Millisecond):
				continue
			case <-h.ctx.Done():
				return
			}
		}
		if skip != "" && tcp.RemoteAddr().String() == skip {
			_ = tcp.Close()
			continue
		}
		if c := h.admit(tcp); c != nil {
			h.running.Go(func() { h.attend(c) })
		}
	}
}

// admit remembers a connection, so that it can be ended. Nil says that the host
// is closed.
func (h *host) admit(tcp *net.TCPConn) *conn {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		_ = tcp.Close()
		return nil
	}
	h.last++
	c := newConn(h, tcp, h.last)
	h.conns[c] = struct{}{}
	return c
}

// attend serves a connection to its end.
func (h *host) attend(c *conn) {
	defer func() {
		c.gone()
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.conns, c)
	}()
	if h.only != nil && !c.enter(h.only) {
		return
	}
	if h.deaf {
		c.linger(h.only)
		return
	}
	if h.tls != nil {
		secure := tls.Server(c.tcp, h.tls)
		if err := secure.HandshakeContext(h.ctx); err != nil {
			c.fault("TLS handshake: " + err.Error())
			return
		}
		c.stream = secure
		c.mu.Lock()
		c.secure = true
		c.mu.Unlock()
	}
	for c.serve() {
		if h.only == nil {
			c.rest()
		}
	}
}

// find returns whose request it is; of items that hold each other the longest
// counts.
func (h *host) find(target string) *peer {
	if h.only != nil {
		return h.only
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	var found *peer
	longest := 0
	for item, p := range h.items {
		if len(item) > longest && strings.Contains(target, item) {
			found, longest = p, len(item)
		}
	}
	return found
}

// add makes requests with the item those of p.
func (h *host) add(item string, p *peer) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.closed:
		return errors.New("the address is closed")
	case item == "":
		return errors.New("without an item nobody knows whose request it is")
	case h.items[item] != nil:
		return fmt.Errorf("another peer of item %s is still open: close it first", item)
	}
	h.items[item] = p
	return nil
}

// forget ends what p has of the address.
func (h *host) forget(item string, p *peer) {
	for _, c := range h.remove(item) {
		c.release(p)
	}
}

// remove takes the item away, and returns the connections that are open.
func (h *host) remove(item string) []*conn {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.items, item)
	return h.all()
}

// all returns the connections. The lock is held.
func (h *host) all() []*conn {
	list := make([]*conn, 0, len(h.conns))
	for c := range h.conns {
		list = append(list, c)
	}
	return list
}

// close ends the address with all its connections. It does not wait.
func (h *host) close() {
	h.cancel()
	h.mu.Lock()
	h.closed = true
	listener, conns := h.listener, h.all()
	h.mu.Unlock()
	if listener != nil {
		_ = listener.Close()
	}
	for _, c := range conns {
		c.cut()
	}
}

// within waits for what is under way, at most as long as ctx lasts.
func within(ctx context.Context, what string, wait func()) error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		wait()
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("close %s: its connections did not end: %w", what, context.Cause(ctx))
	}
}

func isTimeout(err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) }
