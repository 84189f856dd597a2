package client

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// peer is the far end of net.Pipe connections. It hands the n-th request, over
// all connections, to answer, which writes raw bytes and says whether the
// connection stays open.
type peer struct {
	answer func(n int, r *http.Request, w io.Writer) (keep bool)

	mu     sync.Mutex
	seen   []*http.Request
	bodies []string
	dials  int
	open   int // connections that the client has not closed
}

func (p *peer) dial(context.Context, string, string) (net.Conn, error) {
	near, far := net.Pipe()
	p.mu.Lock()
	p.dials++
	p.open++
	p.mu.Unlock()
	go p.serve(far)
	return &counted{Conn: near, gone: sync.OnceFunc(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.open--
	})}, nil
}

// counted is the client's end of a connection.
type counted struct {
	net.Conn
	gone func()
}

func (c *counted) Close() error { c.gone(); return c.Conn.Close() }

func (p *peer) serve(conn net.Conn) {
	defer conn.Close()
	r := bufio.NewReader(conn)
	for {
		req, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return
		}
		p.mu.Lock()
		p.seen = append(p.seen, req)
		p.bodies = append(p.bodies, string(body))
		n := len(p.seen)
		p.mu.Unlock()
		if !p.answer(n, req, conn) {
			return
		}
	}
}

func (p *peer) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.seen)
}

// held returns how many connections were opened so far, and how many are open.
func (p *peer) held() (dials, open int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dials, p.open
}

// steps has the n-th request answered by the n-th function, the last one for ever.
func steps(answers ...func(int, *http.Request, io.Writer) bool) func(int, *http.Request, io.Writer) bool {
	return func(n int, r *http.Request, w io.Writer) bool { return answers[min(n, len(answers))-1](n, r, w) }
}

// after answers when d has passed.
func after(d time.Duration, raw string) func(int, *http.Request, io.Writer) bool {
	return func(_ int, _ *http.Request, w io.Writer) bool {
		<-time.After(d) // virtual
		_, err := io.WriteString(w, raw)
		return err == nil
	}
}

// trickle begins an answer and then sends a byte a second.
func trickle(line string) func(int, *http.Request, io.Writer) bool {
	return func(_ int, _ *http.Request, w io.Writer) bool {
		_, err := io.WriteString(w, "HTTP/1.1 "+line+"\r\nContent-Length: 100\r\n\r\n")
		for err == nil {
			<-time.After(time.Second) // virtual
			_, err = io.WriteString(w, "x")
		}
		return false
	}
}

// always answers every request with the same raw response.
func always(raw string) func(int, *http.Request, io.Writer) bool {
	return func(_ int, _ *http.Request, w io.Writer) bool {
		_, err := io.WriteString(w, raw)
		return err == nil
	}
}

// script answers the n-th request with the n-th line, the last one for ever. An
// empty line closes the connection instead.
func script(raws ...string) func(int, *http.Request, io.Writer) bool {
	return func(n int, _ *http.Request, w io.Writer) bool {
		raw := raws[min(n, len(raws))-1]
		_, err := io.WriteString(w, raw)
		return err == nil && raw != ""
	}
}

func status(line string, headers ...string) string {
	return "HTTP/1.1 " + line + "\r\n" + strings.Join(append(headers, "Content-Length: 2"), "\r\n") + "\r\n\r\n{}"
}

// silent reads on and never answers, until the connection goes away.
func silent(_ int, _ *http.Request, _ io.Writer) bool { return true }

func newClient(t *testing.T, p *peer, change ...func(*Config)) *Client {
	t.Helper()
	c := New(configured(append([]func(*Config){dialling(p.dial)}, change...)...))
	t.Cleanup(c.CloseIdle)
	return c
}

// configured is the right Config, changed.
func configured(change ...func(*Config)) Config {
	cfg := Defaults()
	for _, f := range change {
		f(&cfg)
	}
	return cfg
}

func dialling(dial func(ctx context.Context, network, addr string) (net.Conn, error)) func(*Config) {
	return func(cfg *Config) { cfg.Dial = dial }
}

func bounded(p Policy) func(*Config) { return func(cfg *Config) { cfg.Policy = p } }

func get() Request { return Request{Method: "GET", URL: "http://peer/items/1"} }

// keyless is a call that may be sent once only.
func keyless() Request {
	return Request{Method: "POST", URL: "http://peer/charges", Body: []byte(`{"a":1}`)}
}

func post() Request {
	return Request{Method: "POST", URL: "http://peer/charges?key=secret", Key: "k1", CorrelationID: "c1", Body: []byte(`{"a":1}`)}
}
