package peer_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/peer"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// guard ends a test that would hang; nothing is measured by it.
const guard = 20 * time.Second

const ms = harness.Duration(time.Millisecond)

// journal keeps what peers tell.
type journal struct {
	clock harness.Clock
	mu    sync.Mutex
	calls []harness.Call
	conns []harness.Connection
	marks []string
	more  chan struct{} // closed at the next event
}

func newJournal() *journal { return &journal{clock: harness.NewClock(), more: make(chan struct{})} }

func (j *journal) see(e harness.Event) {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch e.Type {
	case harness.CallEvent:
		j.calls = append(j.calls, *e.Call)
	case harness.ConnEvent:
		j.conns = append(j.conns, *e.Conn)
	case harness.MarkEvent:
		j.marks = append(j.marks, e.Mark.Name)
	}
	close(j.more)
	j.more = make(chan struct{})
}

func (j *journal) marked() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.marks)
}

func (j *journal) now() time.Duration { return j.clock.Since(time.Now()) }

// until waits for so many calls and connections, and returns all there are.
func (j *journal) until(t *testing.T, calls, conns int) ([]harness.Call, []harness.Connection) {
	t.Helper()
	timeout := time.After(guard)
	for {
		j.mu.Lock()
		more, c, k := j.more, j.calls, j.conns
		j.mu.Unlock()
		if len(c) >= calls && len(k) >= conns {
			return c, k
		}
		select {
		case <-more:
		case <-timeout:
			t.Fatalf("%d calls and %d connections were told, want %d and %d: %+v %+v", len(c), len(k), calls, conns, c, k)
		}
	}
}

// byIndex returns calls in the order of their requests.
func byIndex(calls []harness.Call) []harness.Call {
	return slices.SortedFunc(slices.Values(calls), func(a, b harness.Call) int { return a.Index - b.Index })
}

// opened is an open peer with all that it tells.
type opened struct {
	harness.Peer
	*journal
	own *peer.Own
}

// open opens a peer at an address of its own.
func open(t testing.TB, script harness.Script) *opened {
	t.Helper()
	j := newJournal()
	own, err := peer.New(peer.Config{Clock: j.clock})
	if err != nil {
		t.Fatal(err)
	}
	p, err := own.Open(t.Context(), "sku-1", script, j.see)
	if err != nil {
		t.Fatal(err)
	}
	o := &opened{Peer: p, journal: j, own: own}
	t.Cleanup(func() { o.close(t) })
	return o
}

// steps opens a peer with an open door.
func steps(t testing.TB, list ...harness.Step) *opened {
	t.Helper()
	return open(t, harness.Script{Steps: list})
}

func (o *opened) close(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), guard)
	defer cancel()
	if err := o.Close(ctx); err != nil {
		t.Error(err)
	}
}

func (o *opened) host() string {
	u, _ := url.Parse(o.URL())
	return u.Host
}

// dial opens a raw connection.
func dial(t testing.TB, host string) *net.TCPConn {
	t.Helper()
	c, err := (&net.Dialer{Timeout: guard}).DialContext(t.Context(), "tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	_ = c.SetDeadline(time.Now().Add(guard))
	t.Cleanup(func() { c.Close() })
	return c.(*net.TCPConn)
}

func send(t testing.TB, c io.Writer, text string) {
	t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
}

const get = "GET /items/sku-1 HTTP/1.1\r\nHost: peer\r\n\r\n"

// readAnswer reads one answer as net/http reads it.
func readAnswer(t testing.TB, br *bufio.Reader, method string) (*http.Response, []byte, error) {
	t.Helper()
	resp, err := http.ReadResponse(br, &http.Request{Method: method})
	if err != nil {
		return nil, nil, err
	}
	body, err := io.ReadAll(resp.Body)
	return resp, body, err
}

// client is a plain client with its own connections.
func client(t testing.TB) *http.Client {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: guard}
}

// ask makes one request and reads the answer in full.
func ask(t testing.TB, c *http.Client, method, to string, body string) (*http.Response, []byte, error) {
	t.Helper()
	var content io.Reader
	if body != "" {
		content = struct{ io.Reader }{strings.NewReader(body)} // of unknown length, and not to be sent again
	}
	req, err := http.NewRequestWithContext(t.Context(), method, to, content)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	return resp, got, err
}

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}
