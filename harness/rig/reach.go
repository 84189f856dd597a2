package rig

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

const (
	reachLimit = 5 * time.Second // of one connection, TLS included
	sniffLimit = 2 * time.Second // of an answer, to learn the protocol

	longestAnswer = 64 << 10 // that is listened to
)

// errHTTP2Only refuses a target to which nothing can be sent byte by byte.
var errHTTP2Only = errors.New("it speaks HTTP/2 only, but faults are cut into HTTP/1.1 messages; enable HTTP/1.1 there, or put a proxy before it that speaks it")

// reach makes sure that somebody listens at the target, is who the URL says,
// and speaks HTTP/1.1, before anything is opened or sent. It asks OPTIONS *,
// which is about the server and touches no resource.
func reach(ctx context.Context, target string, trust *tls.Config, agent string) error {
	at, err := parseAddress(target)
	if err != nil {
		return fmt.Errorf("target url: %w", err)
	}
	at.trust = trust
	conn, err := at.dial(ctx)
	if err != nil {
		return fmt.Errorf("reach the target at %s: %w; start it, or correct target.url", at.address, err)
	}
	if at.secure {
		secured, err := at.handshake(ctx, conn, "http/1.1")
		if err != nil {
			return fmt.Errorf("reach the target at %s: %w", at.address, explainTLS(err))
		}
		conn = secured
	}
	first, silent := sniff(conn, "OPTIONS * HTTP/1.1\r\nHost: "+at.host+"\r\nUser-Agent: "+agent+"\r\nConnection: close\r\n\r\n")
	if silent {
		return nil // a slow target is the positive control's to judge
	}
	if err := at.understood(ctx, first); err != nil {
		return fmt.Errorf("reach the target at %s: %w", at.address, err)
	}
	return nil
}

// reachUpstream makes sure that somebody listens where calls are forwarded to.
func reachUpstream(ctx context.Context, upstream string) error {
	at, err := parseAddress(upstream)
	if err != nil {
		return fmt.Errorf("upstream: %w", err)
	}
	conn, err := at.dial(ctx)
	if err != nil {
		return fmt.Errorf("reach the upstream at %s: %w; start it, or correct upstream", at.address, err)
	}
	return conn.Close()
}

// address is where a URL leads.
type address struct {
	address string // host:port to dial
	host    string // for the Host field
	name    string // for the certificate
	secure  bool
	trust   *tls.Config
}

func parseAddress(raw string) (address, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return address{}, errors.New("it is no URL")
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return address{address: net.JoinHostPort(u.Hostname(), port), host: u.Host, name: u.Hostname(), secure: u.Scheme == "https"}, nil
}

func (a address) dial(ctx context.Context) (net.Conn, error) {
	return (&net.Dialer{Timeout: reachLimit}).DialContext(ctx, "tcp", a.address)
}

// handshake offers one protocol, so that what was agreed is that one or nothing.
func (a address) handshake(ctx context.Context, conn net.Conn, protocol string) (net.Conn, error) {
	config := a.trust.Clone()
	config.ServerName, config.NextProtos = a.name, []string{protocol}
	ctx, cancel := context.WithTimeout(ctx, reachLimit)
	defer cancel()
	secured := tls.Client(conn, config)
	if err := secured.HandshakeContext(ctx); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return secured, nil
}

// understood decides by the first bytes of an answer, none if the connection was
// closed without one.
func (a address) understood(ctx context.Context, first string) error {
	switch {
	case strings.HasPrefix(first, "HTTP/1."), first == "":
		if first == "" && a.answersHTTP2(ctx) {
			return errHTTP2Only
		}
		return nil
	case isFrame(first):
		return errHTTP2Only
	case strings.HasPrefix(first, "\x15\x03"):
		return errors.New("it speaks TLS; begin target.url with https://")
	}
	return fmt.Errorf("what answers there does not speak HTTP: it began with %q; correct target.url", first)
}

// answersHTTP2 reports whether a server that did not answer HTTP/1.1 answers the
// other protocol.
func (a address) answersHTTP2(ctx context.Context) bool {
	conn, err := a.dial(ctx)
	if err != nil {
		return false
	}
	if a.secure {
		if conn, err = a.handshake(ctx, conn, "h2"); err != nil {
			return false
		}
	}
	const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
	const settings = "\x00\x00\x00\x04\x00\x00\x00\x00\x00"
	first, _ := sniff(conn, preface+settings)
	return isFrame(first)
}

// frameHead is the length of what begins every frame of HTTP/2.
const frameHead = 9

// isFrame tells a connection's SETTINGS or GOAWAY frame from text.
func isFrame(first string) bool {
	const settings, goAway = 4, 7
	return len(first) == frameHead && first[0] == 0 && (first[3] == settings || first[3] == goAway) && first[5:] == "\x00\x00\x00\x00"
}

// sniff sends a question and returns the first bytes of the answer, fewer if the
// other side hung up. Silent means that nothing came in time. It closes the
// connection.
func sniff(conn net.Conn, question string) (first string, silent bool) {
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(sniffLimit)) // fails only on a closed connection, which the read tells
	_, _ = io.WriteString(conn, question)            // it may have answered before it hung up
	in := bufio.NewReader(conn)
	got, err := in.Peek(frameHead)
	first = string(got)
	if strings.HasPrefix(first, "HTTP/1.") {
		listen(in)
	}
	return first, first == "" && errors.Is(err, os.ErrDeadlineExceeded)
}

// listen takes the rest of an answer, whatever it says: hanging up in the middle
// of it would show as an error in the target's log.
func listen(in *bufio.Reader) {
	answer, err := http.ReadResponse(in, &http.Request{Method: http.MethodOptions})
	if err != nil {
		return
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, longestAnswer))
	_ = answer.Body.Close()
}
