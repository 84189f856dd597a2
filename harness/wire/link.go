package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// Config describes a link. Either Upstream or Handler is set.
type Config struct {
	Name       string
	Listen     string       // host:port, 127.0.0.1:0 if empty
	Upstream   string       // http(s)://host:port, with a prefix of all paths if it has one
	TLS        *tls.Config  // for https upstreams; nil trusts the system's roots
	Handler    http.Handler // answers in this process
	Operations []Operation  // the first that matches names the exchange; none leaves it nameless
	CaseHeader string       // header that carries a case id; it is not forwarded
	Instance   int          // of the upstream's service; for Call.Instance
	// PassHangUp makes the upstream see that a caller has left: its connection
	// ends while the exchange is under way. Else the exchange goes on to its end.
	PassHangUp bool
	// ReferenceOf and CorrelationOf fill Call.Reference and Call.CorrelationID.
	ReferenceOf, CorrelationOf func(h http.Header, body []byte) string
	Clock                      harness.Clock // base of all times; starts with the link if zero
}

// Link is an open link: a listener, and what answers behind it.
type Link struct {
	cfg      Config
	journal  *Journal
	listener *net.TCPListener
	ctx      context.Context // ends when the link closes
	cancel   context.CancelFunc
	running  sync.WaitGroup

	*rules            // shared by all doors
	own    sync.Mutex // of what follows
	origin origin
	conns  map[*net.TCPConn]struct{}
	closed bool
}

// Open listens and serves until [Link.Close]. Exchanges are told to j.
func Open(cfg Config, j *Journal) (*Link, error) { return open(cfg, j, newRules()) }

func open(cfg Config, j *Journal, shared *rules) (*Link, error) {
	if cfg.Listen == "" {
		cfg.Listen = "127.0.0.1:0"
	}
	if cfg.Clock.Base().IsZero() {
		cfg.Clock = harness.NewClock()
	}
	l := &Link{cfg: cfg, journal: j, rules: shared, conns: map[*net.TCPConn]struct{}{}}
	switch {
	case (cfg.Upstream == "") == (cfg.Handler == nil):
		return nil, fmt.Errorf("open link %s: it needs either an upstream or a handler", cfg.Name)
	case cfg.Handler != nil:
		l.origin = handler{cfg.Handler, cfg.CaseHeader}
	default:
		upstream := l.network(cfg.Upstream)
		if upstream.err != nil {
			return nil, fmt.Errorf("open link %s: %w", cfg.Name, upstream.err)
		}
		l.origin = upstream
	}
	listener, err := net.Listen("tcp", cfg.Listen)
	if err != nil {
		return nil, fmt.Errorf("open link %s: %w", cfg.Name, err)
	}
	l.listener = listener.(*net.TCPListener) // what net.Listen returns for tcp
	l.ctx, l.cancel = context.WithCancel(context.Background())
	l.running.Go(l.accept)
	return l, nil
}

// Addr returns the host:port that the link listens on.
func (l *Link) Addr() string { return l.listener.Addr().String() }

// URL returns the base URL of the link.
func (l *Link) URL() string { return "http://" + l.Addr() }

// SetUpstream makes exchanges that are forwarded from now on go to another
// upstream. One that is no http or https URL makes them end upstream-failed.
func (l *Link) SetUpstream(upstream string) {
	n := l.network(upstream)
	l.own.Lock()
	defer l.own.Unlock()
	l.origin = n
}

func (l *Link) upstream() origin {
	l.own.Lock()
	defer l.own.Unlock()
	return l.origin
}

// Close ends the listener, every connection and every stall, and waits for all
// that the link started. A handler has to return when its request's context
// ends. Close is idempotent.
func (l *Link) Close() error {
	l.own.Lock()
	first := !l.closed
	l.closed = true
	l.cancel()
	for conn := range l.conns {
		_ = conn.Close()
	}
	l.own.Unlock()
	var err error
	if first {
		err = l.listener.Close()
	}
	l.running.Wait()
	if err != nil {
		return fmt.Errorf("close link %s: %w", l.cfg.Name, err)
	}
	return nil
}

func (l *Link) accept() {
	for n := int64(1); ; n++ {
		conn, err := l.listener.AcceptTCP()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // out of file descriptors: others have to be freed first
			select {
			case <-time.After(10 * time.Millisecond):
				continue
			case <-l.ctx.Done():
				return
			}
		}
		if !l.admit(conn) {
			_ = conn.Close()
			return
		}
		l.running.Go(func() {
			defer l.dismiss(conn)
			l.serve(newCaller(conn, n))
		})
	}
}

// admit remembers a connection, so that Close can end it.
func (l *Link) admit(conn *net.TCPConn) bool {
	l.own.Lock()
	defer l.own.Unlock()
	if l.closed {
		return false
	}
	l.conns[conn] = struct{}{}
	return true
}

func (l *Link) dismiss(conn *net.TCPConn) {
	_ = conn.Close()
	l.own.Lock()
	defer l.own.Unlock()
	delete(l.conns, conn)
}

func (l *Link) now() time.Duration { return l.cfg.Clock.Since(time.Now()) }
