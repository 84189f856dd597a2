package wire_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// guard ends a test that would hang; nothing is measured by it.
const guard = 20 * time.Second

const (
	answerHead = "HTTP/1.1 201 Created\r\nX-Lower: a\r\nx-lower:  b \r\nContent-Length: 10\r\n"
	answerBody = "0123456789"
	plain      = answerHead + "\r\n" + answerBody
	closing    = answerHead + "Connection: close\r\n\r\n" + answerBody
)

// upstream is a raw server that keeps what it received and gives one answer to
// everything, one request a connection.
type upstream struct {
	listener net.Listener
	answer   string
	arrived  chan string   // one element per request that arrived in full
	hold     chan struct{} // if not nil, answers wait until it closes
	quit     chan struct{} // closed when the test ends, also while answers wait
	done     sync.WaitGroup

	mu   sync.Mutex
	seen []string
}

func newUpstream(t testing.TB, answer string, hold chan struct{}) *upstream {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	u := &upstream{listener: listener, answer: answer, arrived: make(chan string, 1000), hold: hold, quit: make(chan struct{})}
	u.done.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			u.done.Go(func() { u.serve(conn) })
		}
	})
	t.Cleanup(func() { _ = listener.Close(); close(u.quit); u.done.Wait() })
	return u
}

func (u *upstream) url() string { return "http://" + u.listener.Addr().String() }

func (u *upstream) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	raw, err := readRawRequest(bufio.NewReader(conn))
	if err != nil {
		return
	}
	u.mu.Lock()
	u.seen = append(u.seen, raw)
	u.mu.Unlock()
	u.arrived <- raw
	if u.hold != nil {
		select {
		case <-u.hold:
		case <-u.quit:
		}
	}
	_, _ = io.WriteString(conn, u.answer)
}

func (u *upstream) requests() []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return append([]string(nil), u.seen...)
}

func readRawRequest(br *bufio.Reader) (string, error) {
	var raw strings.Builder
	length := 0
	for {
		line, err := br.ReadString('\n')
		raw.WriteString(line)
		if err != nil {
			return "", err
		}
		if v, ok := strings.CutPrefix(strings.ToLower(line), "content-length:"); ok {
			length, _ = strconv.Atoi(strings.TrimSpace(v))
		}
		if line == "\r\n" {
			break
		}
	}
	body := make([]byte, length)
	_, err := io.ReadFull(br, body)
	raw.Write(body)
	return raw.String(), err
}

// rig is one link with an upstream, an injector and a followed case "c".
type rig struct {
	*wire.Link
	up       *upstream
	journal  *wire.Journal
	injector *wire.Injector
	calls    chan harness.Call
}

func newRig(t testing.TB, answer string, hold chan struct{}, change ...func(*wire.Config)) *rig {
	t.Helper()
	r := &rig{up: newUpstream(t, answer, hold), journal: wire.NewJournal()}
	cfg := wire.Config{
		Name: "payment", Upstream: r.up.url(), CaseHeader: "X-Oncecheck-Case", Clock: harness.NewClock(),
		Operations: []wire.Operation{
			{Name: "charge", Method: http.MethodPost, Path: "/charges", KeyHeader: "Idempotency-Key", Attribute: byReference},
			{Name: "query", Method: http.MethodGet, Path: "/charges/{id}", Attribute: byReference},
			{Name: "peek", Method: http.MethodHead, Path: "/charges/{id}", Attribute: byReference},
		},
		ReferenceOf: func(h http.Header, _ []byte) string { return h.Get("Reference") },
	}
	for _, c := range change {
		c(&cfg)
	}
	link, err := wire.Open(cfg, r.journal)
	if err != nil {
		t.Fatal(err)
	}
	r.Link, r.injector = link, wire.NewInjector(link)
	t.Cleanup(func() {
		if err := link.Close(); err != nil {
			t.Error(err)
		}
	})
	r.calls = follow(r.journal, "c", "ref-c")
	return r
}

func byReference(h http.Header, _ []byte) []string { return []string{"unknown", h.Get("Reference")} }

func follow(j *wire.Journal, id, value string) chan harness.Call {
	calls := make(chan harness.Call, 1000)
	j.Follow(id, []string{value, ""}, func(c harness.Call) { calls <- c })
	return calls
}

func (r *rig) inject(t testing.TB, text string) harness.Injection {
	t.Helper()
	f, err := harness.ParseFault(text)
	if err != nil {
		t.Fatal(err)
	}
	injection, err := r.injector.Inject(t.Context(), f, "c")
	if err != nil {
		t.Fatal(err)
	}
	return injection
}

func receive[T any](t testing.TB, from <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(guard):
		t.Fatalf("waited in vain for %s", what)
		panic("unreachable")
	}
}

// client is a raw caller.
type client struct {
	*net.TCPConn
	t  testing.TB
	in *bufio.Reader
}

func dial(t testing.TB, addr string) *client {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(guard))
	return &client{conn.(*net.TCPConn), t, bufio.NewReader(conn)}
}

func (c *client) send(raw string) {
	c.t.Helper()
	if _, err := io.WriteString(c, raw); err != nil {
		c.t.Fatal(err)
	}
}

// expect reads exactly these bytes.
func (c *client) expect(want string) {
	c.t.Helper()
	got := make([]byte, len(want))
	n, err := io.ReadFull(c.in, got)
	if string(got[:n]) != want {
		c.t.Fatalf("caller read %q (%v), want %q", got[:n], err, want)
	}
}

// rest reads until the connection ends and says how: "fin" or "rst".
func (c *client) rest() (got, end string) {
	c.t.Helper()
	b, err := io.ReadAll(c.in)
	switch {
	case err == nil:
		return string(b), "fin"
	case errors.Is(err, syscall.ECONNRESET):
		return string(b), "rst"
	}
	c.t.Fatalf("caller read %q, then: %v", b, err)
	return "", ""
}

// charge is a request of the followed case with further header lines.
func charge(lines ...string) string {
	return fmt.Sprintf("POST /charges HTTP/1.1\r\nHost: x\r\nReference: ref-c\r\nContent-Length: 4\r\n%s\r\nbody",
		strings.Join(append(lines, ""), "\r\n"))
}

// until polls a condition that nothing announces.
func until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), guard)
	defer cancel()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("waited in vain until %s", what)
		}
	}
}
