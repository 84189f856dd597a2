package client

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// door is a TCP peer on loopback that counts what net/http would hide.
type door struct {
	net.Listener
	requests atomic.Int64
	opened   atomic.Int64
	open     atomic.Int64
}

// openDoor serves each connection with serve, which is told of each request it
// reads by the number over all connections, and says whether to read on.
func openDoor(t *testing.T, serve func(n int64, conn *net.TCPConn) (more bool)) *door {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := &door{Listener: l}
	var serving sync.WaitGroup
	t.Cleanup(func() { _ = l.Close(); serving.Wait() })
	serving.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			d.opened.Add(1)
			d.open.Add(1)
			serving.Go(func() {
				defer d.open.Add(-1)
				defer conn.Close()
				in := bufio.NewReader(conn)
				for {
					r, err := http.ReadRequest(in)
					if err != nil {
						return
					}
					_, _ = io.Copy(io.Discard, r.Body)
					if !serve(d.requests.Add(1), conn.(*net.TCPConn)) {
						return
					}
				}
			})
		}
	})
	return d
}

func (d *door) url() string { return "http://" + d.Addr().String() + "/" }

// eventually polls until the condition holds or ctx ends.
func eventually(ctx context.Context, t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal("waited in vain: " + what)
		}
	}
}

func patient(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// prompt does not wait long between attempts, and for answers as long as ever: a
// busy machine must not look like a dependency that is late.
func prompt() Policy {
	p := Defaults().Policy
	p.Base, p.Cap = time.Millisecond, 2*time.Millisecond
	return p
}

const plain = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

// A pool full of connections that all die on use is where net/http re-sends by
// itself: GET always, and POST because it carries a key.
func TestNoHiddenReplayOnWarmConnections(t *testing.T) {
	const warm = 5
	body := []byte("{}")
	for name, tc := range map[string]struct {
		req  Request
		want int64
	}{
		"GET":                   {Request{Method: "GET"}, 3},
		"PUT":                   {Request{Method: "PUT", Body: body}, 3},
		"POST with a key":       {Request{Method: "POST", Key: "k", Body: body}, 3},
		"POST with key, empty":  {Request{Method: "POST", Key: "k"}, 3},
		"POST without, empty":   {Request{Method: "POST"}, 1},
		"POST without, no less": {Request{Method: "POST", Body: body}, 1},
	} {
		for how, end := range map[string]func(*net.TCPConn){"FIN": func(*net.TCPConn) {}, "RST": func(c *net.TCPConn) { _ = c.SetLinger(0) }} {
			t.Run(name+" "+how, func(t *testing.T) {
				together := make(chan struct{})
				d := openDoor(t, func(n int64, conn *net.TCPConn) bool {
					if n > warm {
						end(conn)
						return false
					}
					if n == warm {
						close(together)
					}
					<-together
					_, err := io.WriteString(conn, plain)
					return err == nil
				})
				c := New(configured(bounded(prompt())))
				defer c.CloseIdle()
				var group sync.WaitGroup
				for range warm {
					group.Go(func() {
						if _, err := c.Do(t.Context(), Request{Method: "GET", URL: d.url()}); err != nil {
							t.Error(err)
						}
					})
				}
				group.Wait()
				if t.Failed() || d.opened.Load() != warm {
					t.Fatalf("%d connections are warm, want %d", d.opened.Load(), warm)
				}
				tc.req.URL = d.url()
				_, err := c.Do(t.Context(), tc.req)
				var failure *Error
				if !errors.As(err, &failure) || failure.Code != CodeUnavailable {
					t.Errorf("got %v, want an unavailable dependency", err)
				}
				if sent := d.requests.Load() - warm; sent != tc.want || int64(failure.Attempts) != tc.want {
					t.Errorf("%d requests on the wire and %d attempts, want %d of both", sent, failure.Attempts, tc.want)
				}
			})
		}
	}
}

func TestRefusedUntilItIsNot(t *testing.T) {
	d := openDoor(t, func(_ int64, conn *net.TCPConn) bool { _, err := io.WriteString(conn, plain); return err == nil })
	refusing, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = refusing.Close()
	var dials atomic.Int64
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		addr := d.Addr().String()
		if dials.Add(1) == 1 {
			addr = refusing.Addr().String()
		}
		return (&net.Dialer{}).DialContext(ctx, network, addr)
	}
	for method, want := range map[string]int64{"GET": 1, "POST": 0} {
		dials.Store(0)
		d.requests.Store(0)
		c := New(configured(bounded(prompt()), dialling(dial)))
		_, err := c.Do(t.Context(), Request{Method: method, URL: d.url()})
		if (err == nil) != (want == 1) || d.requests.Load() != want {
			t.Errorf("%s: %v, %d requests, want %d", method, err, d.requests.Load(), want)
		}
		c.CloseIdle()
	}
}

func TestCertificates(t *testing.T) {
	var handshakes atomic.Int64
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.TLS = &tls.Config{GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { handshakes.Add(1); return nil, nil }}
	s.EnableHTTP2 = true // not for us
	s.StartTLS()
	defer s.Close()
	trust := s.Client().Transport.(*http.Transport).TLSClientConfig
	elsewhere := trust.Clone()
	elsewhere.ServerName = "another.example"
	for name, tc := range map[string]struct {
		tls  *tls.Config
		says string
	}{
		"a stranger":   {nil, "x509.UnknownAuthorityError"},
		"another name": {elsewhere, "x509.HostnameError"},
		"trusted":      {trust, ""},
	} {
		handshakes.Store(0)
		c := New(configured(bounded(prompt()), func(cfg *Config) { cfg.TLS = tc.tls }))
		resp, err := c.Do(t.Context(), Request{Method: "GET", URL: s.URL})
		c.CloseIdle()
		if tc.says == "" {
			if err != nil || resp.Status != http.StatusNoContent {
				t.Errorf("%s: got %+v, %v", name, resp, err)
			}
			continue
		}
		var failure *Error
		var cause *tls.CertificateVerificationError
		if !errors.As(err, &failure) || !errors.As(err, &cause) || failure.Code != CodeUnavailable || failure.Retryable || !strings.Contains(err.Error(), tc.says) || handshakes.Load() != 1 {
			t.Errorf("%s: got %v after %d handshakes, want one and not to be repeated", name, err, handshakes.Load())
		}
	}
}

// Whatever went wrong, nothing of it is left: no goroutine, no socket.
func TestNothingIsLeftBehind(t *testing.T) {
	before := goleak.IgnoreCurrent()
	write := func(raw string, more bool) func(int64, *net.TCPConn) bool {
		return func(_ int64, conn *net.TCPConn) bool { _, err := io.WriteString(conn, raw); return more && err == nil }
	}
	for name, serve := range map[string]func(int64, *net.TCPConn) bool{
		"silent":      func(int64, *net.TCPConn) bool { return true },
		"reset":       func(_ int64, conn *net.TCPConn) bool { _ = conn.SetLinger(0); return false },
		"closed":      func(int64, *net.TCPConn) bool { return false },
		"503":         write("HTTP/1.1 503 Busy\r\nContent-Length: 2\r\n\r\n{}", true),
		"half a body": write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}", true),
		"cut body":    write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}", false),
		"garbage":     write("SSH-2.0-hello\r\n", true),
	} {
		t.Run(name, func(t *testing.T) {
			d := openDoor(t, serve)
			policy := prompt()
			if name == "silent" || name == "half a body" { // or it takes its 10 s
				policy = policy.Scaled(20)
			}
			c := New(configured(bounded(policy)))
			var group sync.WaitGroup
			for range 60 {
				group.Go(func() {
					if _, err := c.Do(t.Context(), Request{Method: "GET", URL: d.url()}); err == nil {
						t.Error("a fault was a success")
					}
				})
			}
			group.Wait()
			// No CloseIdle: a failed exchange keeps nothing in the pool either.
			eventually(patient(t), t, "all sockets close", func() bool { return d.open.Load() == 0 })
			if requests := d.requests.Load(); requests > 180 {
				t.Errorf("%d requests for 60 calls, want 3 each at most", requests)
			}
		})
	}
	goleak.VerifyNone(t, before)
}
