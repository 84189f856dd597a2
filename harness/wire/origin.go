package wire

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"
)

// origin answers requests: an upstream over the network, or a handler.
type origin interface {
	// ask sends the request once and reads the whole answer. It calls ready, if
	// there is one, right before it sends, and sent as soon as the origin may have
	// seen the request. An answer with an error is one of which
	// only the head arrived.
	ask(ctx context.Context, r *request, ready func(), sent func()) (*answer, error)
	// part sends what there is of a request and hangs up.
	part(ctx context.Context, r *request) error
}

// dialTimeout bounds the connect to an upstream that swallows it.
const dialTimeout = 10 * time.Second

// network is an origin at an address.
type network struct {
	address    string // host:port to dial
	host       string // for the Host field
	prefix     string // of every path
	tls        *tls.Config
	caseHeader string
	err        error // why there is no such origin
}

func (l *Link) network(upstream string) *network {
	u, err := url.Parse(upstream)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" {
		return &network{err: fmt.Errorf("upstream %q of link %s is no URL of the form http://host:port", upstream, l.cfg.Name)}
	}
	n := &network{host: u.Host, prefix: strings.TrimSuffix(u.EscapedPath(), "/"), caseHeader: l.cfg.CaseHeader}
	port := u.Port()
	if u.Scheme == "https" {
		n.tls = l.cfg.TLS.Clone()
		if n.tls == nil {
			n.tls = &tls.Config{MinVersion: tls.VersionTLS12}
		}
		if n.tls.ServerName == "" {
			n.tls.ServerName = u.Hostname()
		}
		n.tls.NextProtos = []string{"http/1.1"}
		if port == "" {
			port = "443"
		}
	}
	if port == "" {
		port = "80"
	}
	n.address = net.JoinHostPort(u.Hostname(), port)
	return n
}

func (n *network) ask(ctx context.Context, r *request, ready func(), sent func()) (*answer, error) {
	if n.err != nil {
		return nil, n.err
	}
	conn, err := n.dial(ctx)
	if err != nil {
		return nil, fmt.Errorf("connect to upstream %s: %w", n.address, err)
	}
	defer func() { _ = conn.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	raw := r.encode(n.prefix, n.host, n.caseHeader)
	if ready != nil { // all but the last byte goes ahead, so that sending is a matter of one byte
		_, _ = conn.Write(raw[:len(raw)-1]) // an upstream that is gone shows when its answer is read
		raw = raw[len(raw)-1:]
		ready()
	}
	_, writeErr := conn.Write(raw)
	sent()
	// An upstream may refuse before it has read everything, so its answer is
	// looked for even if the rest could not be written.
	a, err := readAnswer(bufio.NewReader(conn), r.method)
	if err != nil && writeErr != nil {
		err = writeErr
	}
	if err != nil {
		return a, fmt.Errorf("ask upstream %s: %w", n.address, err)
	}
	return a, nil
}

func (n *network) dial(ctx context.Context) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", n.address)
	if err != nil || n.tls == nil {
		return conn, err
	}
	secured := tls.Client(conn, n.tls)
	if err := secured.HandshakeContext(ctx); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return secured, nil
}
