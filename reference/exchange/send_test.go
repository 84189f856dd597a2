package exchange

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

const plain = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

// peer answers the n-th request over all connections with the n-th text, the last
// one for ever. One that is empty closes the connection; "-" is silence.
type peer struct {
	answers  []string
	requests atomic.Int64
	dials    atomic.Int64
}

func (p *peer) dial(context.Context, string, string) (net.Conn, error) {
	near, far := net.Pipe()
	p.dials.Add(1)
	go func() {
		defer far.Close()
		for in := bufio.NewReader(far); ; {
			r, err := http.ReadRequest(in)
			if err != nil {
				return
			}
			_, _ = io.Copy(io.Discard, r.Body)
			answer := p.answers[min(int(p.requests.Add(1)), len(p.answers))-1]
			if answer == "-" {
				continue
			}
			if _, err := io.WriteString(far, answer); err != nil || answer == "" {
				return
			}
		}
	}()
	return near, nil
}

func newSender(t *testing.T, dial func(context.Context, string, string) (net.Conn, error)) *Sender {
	cfg := Defaults()
	cfg.Dial = dial
	s := New(cfg)
	t.Cleanup(s.CloseIdle)
	return s
}

// limits are two seconds to connect and five to read.
func limits() Limits {
	of := map[Class]time.Duration{Connect: 2 * time.Second, Timeout: 5 * time.Second}
	return Limits{Limit: func(as Class) time.Duration { return of[as] }, MaxBody: 8, Wanted: func(status int) bool { return status < 500 }}
}

func request(t *testing.T, method, url string) *http.Request {
	r, err := http.NewRequest(method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Idempotency-Key", "k")
	return r
}

// A reused connection that dies is where net/http would send again by itself.
func TestOneSendIsOneRequest(t *testing.T) {
	for _, method := range []string{"GET", "POST", "PUT"} {
		for name, body := range map[string][]byte{"empty": nil, "with a body": []byte("{}")} {
			t.Run(method+" "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					p := &peer{answers: []string{plain, ""}}
					s := newSender(t, p.dial)
					if got := s.Send(t.Context(), request(t, method, "http://peer/"), body, limits()); got.Err != nil || string(got.Body) != "{}" {
						t.Fatalf("got %+v", got)
					}
					got := s.Send(t.Context(), request(t, method, "http://peer/"), body, limits())
					if got.Class != Reset || !got.Reached || p.requests.Load() != 2 {
						t.Errorf("got %+v after %d requests, want a connection that died after 2", got, p.requests.Load())
					}
				})
			})
		}
	}
}

func TestEndsOfASend(t *testing.T) {
	hang := func(ctx context.Context, _, _ string) (net.Conn, error) { <-ctx.Done(); return nil, ctx.Err() }
	// It connects, and never says hello.
	mute := func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		go func() { _, _ = io.Copy(io.Discard, far) }()
		return near, nil
	}
	answering := func(answer string) func(context.Context, string, string) (net.Conn, error) {
		return (&peer{answers: []string{answer}}).dial
	}
	for name, tc := range map[string]struct {
		dial    func(context.Context, string, string) (net.Conn, error)
		url     string
		class   Class
		took    time.Duration
		reached bool
	}{
		"a dial that hangs":           {hang, "http://peer/", Connect, 2 * time.Second, false},
		"a handshake that hangs":      {mute, "https://peer/", Connect, 2 * time.Second, false},
		"silence":                     {answering("-"), "http://peer/", Timeout, 5 * time.Second, true},
		"a body that does not end":    {answering("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n{}"), "http://peer/", Timeout, 5 * time.Second, true},
		"an answer":                   {answering(plain), "http://peer/", "", 0, true},
		"a body that nobody wants":    {answering("HTTP/1.1 503 Busy\r\nContent-Length: 3\r\n\r\n{}"), "http://peer/", "", 0, true},
		"a body that is too long":     {answering("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n123456789"), "http://peer/", Unreadable, 0, true},
		"a body of no length":         {answering("HTTP/1.1 200 OK\r\n\r\n{}"), "http://peer/", Unreadable, 0, true},
		"another protocol":            {answering("HTTP/1.1 101 Switch\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"), "http://peer/", Unreadable, 0, true},
		"what is no HTTP":             {answering("secret secret\r\n\r\n"), "http://peer/", Reset, 0, true},
		"a connection that just ends": {answering(""), "http://peer/", Reset, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				got := newSender(t, tc.dial).Send(t.Context(), request(t, "POST", tc.url), []byte("{}"), limits())
				if took := time.Since(start); got.Class != tc.class || took != tc.took || got.Reached != tc.reached {
					t.Errorf("got %+v after %v, want %q after %v", got, took, tc.class, tc.took)
				}
				if (got.Class == Connect || got.Class == Timeout) != errors.Is(got.Err, ErrTimeLimit) {
					t.Errorf("got %v, which says of the limit what is not so", got.Err)
				}
				if got.Err != nil && strings.Contains(got.Err.Error(), "secret") {
					t.Errorf("%v quotes the peer", got.Err)
				}
				// What dialled and read has ended with the send: synctest fails if not.
			})
		})
	}
}

func TestASendEndsWithItsContext(t *testing.T) {
	left := errors.New("the customer left")
	for name, tc := range map[string]struct {
		dial  func(context.Context, string, string) (net.Conn, error)
		class Class
	}{
		"while it dials": {func(ctx context.Context, _, _ string) (net.Conn, error) { <-ctx.Done(); return nil, context.Cause(ctx) }, Connect},
		"while it reads": {(&peer{answers: []string{"-"}}).dial, Timeout},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(time.Second, func() { cancel(left) })
				start := time.Now()
				got := newSender(t, tc.dial).Send(ctx, request(t, "GET", "http://peer/"), nil, limits())
				if time.Since(start) != time.Second || got.Class != tc.class || !errors.Is(got.Err, left) {
					t.Errorf("got %+v after %v, want the caller's reason after a second", got, time.Since(start))
				}
			})
		})
	}
}
