package caller

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/oncecheck/oncecheck/harness"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// peer accepts connections, hands the raw request head and body to see, and
// writes what answer returns before it closes.
func peer(t *testing.T, answer func(head, body string) string) (address string, connections func() int) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := make(chan int, 1)
	n <- 0
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			n <- <-n + 1
			head, body := readRequest(conn)
			_, _ = io.WriteString(conn, answer(head, body))
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-done })
	return l.Addr().String(), func() int { c := <-n; n <- c; return c }
}

func readRequest(conn net.Conn) (head, body string) {
	r := bufio.NewReader(conn)
	length := 0
	for {
		line, err := r.ReadString('\n')
		head += line
		if err != nil || line == "\r\n" {
			break
		}
		if v, ok := strings.CutPrefix(line, "Content-Length: "); ok {
			_, _ = fmt.Sscan(v, &length)
		}
	}
	data := make([]byte, length)
	_, _ = io.ReadFull(r, data)
	return head, string(data)
}

func testCaller(address string) *Caller {
	return New(Config{
		Doors: []Door{{address, "shop.example"}}, UserAgent: "oncecheck/test", KeyHeader: "Idempotency-Key", Correlation: "X-Correlation-ID",
		Principals: map[string]map[string]string{"alice": {"Authorization": "Bearer secret"}, "refreshed:alice": {"Authorization": "Bearer newer"}},
		Render: func(a harness.Attempt) (Rendered, error) {
			if a.Operation == "none" {
				return Rendered{}, errors.New("no such operation")
			}
			return Rendered{Method: http.MethodPost, Path: "/checkout", Header: map[string]string{"Content-Type": "application/json"}, Body: fmt.Appendf(nil, `{"amount":%v}`, a.Vars["amount"])}, nil
		},
	})
}

const created = "HTTP/1.1 201 Created\r\nContent-Length: 49\r\nRetry-After: 3\r\n\r\n" + `{"requestId":"r1","orderId":"o1","attemptCount":2}`

func TestSendWritesExactlyWhatWasAsked(t *testing.T) {
	var head, body string
	address, connections := peer(t, func(h, b string) string { head, body = h, b; return created[:len(created)-1] })
	a := harness.Attempt{Operation: "checkout", Principal: "alice", Keys: []string{"k\xe9\x01", "", "  two"}, CaseID: "c/1", RunID: "run", CorrelationID: "corr", Number: 3, Vars: map[string]any{"amount": 5}}
	sent, answer, err := testCaller(address).Send(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"POST /checkout HTTP/1.1", "Host: shop.example", "Authorization: Bearer secret", "Idempotency-Key: k\xe9\x01", "Idempotency-Key: ", "Idempotency-Key:   two",
		"User-Agent: oncecheck/test (run run; https://github.com/oncecheck/oncecheck)",
		"X-Oncecheck-Case: c/1", "X-Oncecheck-Case-Id: c/1", "X-Oncecheck-Run: run", "X-Oncecheck-Attempt: 3", "X-Correlation-ID: corr", "Content-Length: 12", "Connection: close"} {
		if !strings.Contains(head, line+"\r\n") {
			t.Errorf("the head lacks %q:\n%q", line, head)
		}
	}
	if strings.Count(head, "Content-Type") != 1 || body != `{"amount":5}` || sent.Body != body || len(sent.BodySHA256) != 64 {
		t.Errorf("body %q, recorded %q", body, sent.Body)
	}
	if answer.Status != 201 || answer.RetryAfter != "3" || connections() != 1 {
		t.Errorf("answer %+v over %d connections", answer, connections())
	}
}

// TestOwnHeadersStandForOurs: two lines of one of them would be another request
// than was meant.
func TestOwnHeadersStandForOurs(t *testing.T) {
	var head string
	address, _ := peer(t, func(h, _ string) string { head = h; return created[:len(created)-1] })
	own := map[string]string{"User-Agent": "other/1", "accept": "*/*", "Content-Type": "application/json; charset=utf-8", "Traceparent": "00-1-2-01"}
	a := harness.Attempt{Operation: "checkout", Header: own, Vars: map[string]any{"amount": 5}}
	if _, _, err := testCaller(address).Send(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	for name, value := range own {
		if strings.Count(strings.ToLower(head), "\r\n"+strings.ToLower(name)+":") != 1 || !strings.Contains(head, "\r\n"+name+": "+value+"\r\n") {
			t.Errorf("%s: %q", name, head)
		}
	}
}

func TestTheKeysHeaderMayBeSpeltOtherwise(t *testing.T) {
	var head string
	address, _ := peer(t, func(h, _ string) string { head = h; return created[:len(created)-1] })
	a := harness.Attempt{Operation: "checkout", Keys: []string{"k"}, KeyName: "iDEMPOTENCY-kEY", Vars: map[string]any{"amount": 5}}
	if _, _, err := testCaller(address).Send(t.Context(), a); err != nil || !strings.Contains(head, "\r\niDEMPOTENCY-kEY: k\r\n") {
		t.Errorf("%v, %q", err, head)
	}
}

// TestAnswerFields: who maps the fields gets the operation and the whole body,
// beyond what is kept of it, and only if there was an answer.
func TestAnswerFields(t *testing.T) {
	for _, body := range []string{`{"orderId":"o1"}`, "", strings.Repeat("x", keptBody+1)} {
		address, _ := peer(t, func(string, string) string {
			return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		})
		c := testCaller(address)
		c.cfg.Fields = func(operation string, a *harness.Answer, got []byte) {
			if a.Status != 200 || string(got) != body {
				t.Errorf("status %d with %d of %d body bytes", a.Status, len(got), len(body))
			}
			a.OrderID = "of " + operation
		}
		_, a, err := c.Send(t.Context(), harness.Attempt{Operation: "checkout"})
		if err != nil || a.OrderID != "of checkout" || len(a.Body) > keptBody {
			t.Errorf("%+v, %v", a, err)
		}
	}
	address, _ := peer(t, func(string, string) string { return "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{" })
	c := testCaller(address)
	c.cfg.Fields = func(string, *harness.Answer, []byte) { t.Error("half an answer was mapped") }
	if _, _, err := c.Send(t.Context(), harness.Attempt{Operation: "checkout"}); err == nil {
		t.Error("half an answer is no error")
	}
}

// TestNoAnswer: whatever is not one complete answer is an error, and only what
// was certainly never sent is ErrNotSent.
func TestNoAnswer(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = closed.Close()
	a := harness.Attempt{Operation: "checkout"}
	if _, _, err := testCaller(closed.Addr().String()).Send(t.Context(), a); !errors.Is(err, harness.ErrNotSent) {
		t.Errorf("nobody listens: %v", err)
	}
	if _, _, err := testCaller(closed.Addr().String()).Send(t.Context(), harness.Attempt{Operation: "none"}); !errors.Is(err, harness.ErrNotSent) {
		t.Errorf("nothing to render: %v", err)
	}
	if _, _, err := testCaller(closed.Addr().String()).Send(t.Context(), harness.Attempt{Operation: "checkout", Keys: []string{"a\r\nEvil: 1"}}); !errors.Is(err, harness.ErrNotSent) {
		t.Errorf("a line break in a key: %v", err)
	}
	for name, answer := range map[string]string{
		"nothing": "", "half a head": "HTTP/1.1 201 Cre", "half a body": "HTTP/1.1 201 Created\r\nContent-Length: 9\r\n\r\n{", "garbage": "\x00\x01\x02\r\n\r\n",
		"a broken chunk": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
	} {
		address, _ := peer(t, func(string, string) string { return answer })
		_, got, err := testCaller(address).Send(t.Context(), a)
		if err == nil || errors.Is(err, harness.ErrNotSent) || got.Status != 0 {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// TestTheLinkAnswersForTheTarget: what the client link says in place of a target
// is no answer of the target.
func TestTheLinkAnswersForTheTarget(t *testing.T) {
	for told, notSent := range map[string]bool{"unreachable": true, "no-answer": false} {
		address, _ := peer(t, func(string, string) string {
			return "HTTP/1.1 502 Bad Gateway\r\nX-Oncecheck-Upstream: " + told + "\r\nContent-Length: 2\r\n\r\n{}"
		})
		_, a, err := testCaller(address).Send(t.Context(), harness.Attempt{Operation: "checkout"})
		if err == nil || errors.Is(err, harness.ErrNotSent) != notSent || a.Status != 0 {
			t.Errorf("%s: %+v, %v", told, a, err)
		}
	}
}

// TestHalf: half of the body arrives, and then the connection ends.
func TestHalf(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	got := make(chan string, 1)
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		raw, _ := io.ReadAll(conn)
		got <- string(raw)
	}()
	_, a, err := testCaller(l.Addr().String()).Send(t.Context(), harness.Attempt{Operation: "checkout", Vars: map[string]any{"amount": 5}, Half: true})
	if err == nil || errors.Is(err, harness.ErrNotSent) || !strings.Contains(err.Error(), "hung up") || a.Status != 0 {
		t.Errorf("%+v, %v", a, err)
	}
	if raw := <-got; !strings.Contains(raw, "Content-Length: 12\r\n") || !strings.HasSuffix(raw, "\r\n\r\n{\"amou") {
		t.Errorf("the peer got %q", raw)
	}
}

// TestInstance: every instance has a door of its own, and nobody falls back to
// another one.
func TestInstance(t *testing.T) {
	var host string
	address, connections := peer(t, func(head, _ string) string { _, host, _ = strings.Cut(head, "Host: "); return created })
	c := testCaller("127.0.0.1:1")
	c.cfg.Doors = append(c.cfg.Doors, Door{address, "second.example"})
	if _, _, err := c.Send(t.Context(), harness.Attempt{Operation: "checkout", Instance: 1}); err != nil || connections() != 1 || !strings.HasPrefix(host, "second.example\r\n") {
		t.Errorf("%v, %d connections, host %q", err, connections(), host)
	}
	for _, none := range []int{2, -1} {
		if _, _, err := c.Send(t.Context(), harness.Attempt{Operation: "checkout", Instance: none}); !errors.Is(err, harness.ErrNotSent) || !strings.Contains(err.Error(), "target.instances") {
			t.Errorf("instance %d: %v", none, err)
		}
	}
}

func TestGivingUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	release := make(chan struct{})
	address, _ := peer(t, func(string, string) string { cancel(); <-release; return "" })
	_, _, err := testCaller(address).Send(ctx, harness.Attempt{Operation: "checkout"})
	close(release)
	if err == nil || errors.Is(err, harness.ErrNotSent) || !strings.Contains(err.Error(), "gave up") {
		t.Errorf("got %v", err)
	}
}

// TestBarrier: everything but the last byte is on its way before Ready, and the
// last byte only after Release.
func TestBarrier(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	release, ready := make(chan struct{}), make(chan struct{})
	got := make(chan string, 1)
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		<-ready
		var seen bytes.Buffer
		for !strings.HasSuffix(seen.String(), `{"amount":1`) {
			b := make([]byte, 512)
			n, err := conn.Read(b)
			if err != nil {
				return
			}
			seen.Write(b[:n])
		}
		close(release)
		last := make([]byte, 1)
		_, _ = io.ReadFull(conn, last)
		got <- string(last)
		_, _ = io.WriteString(conn, "HTTP/1.1 204 No Content\r\n\r\n")
	}()
	_, answer, err := testCaller(l.Addr().String()).Send(t.Context(), harness.Attempt{Operation: "checkout", Vars: map[string]any{"amount": 1}, Ready: func() { close(ready) }, Release: release})
	if err != nil || answer.Status != 204 || <-got != "}" {
		t.Errorf("answer %+v, error %v", answer, err)
	}
}

func TestVia(t *testing.T) {
	address, connections := peer(t, func(string, string) string { return "HTTP/1.1 204 No Content\r\n\r\n" })
	if _, _, err := testCaller("127.0.0.1:1").Send(t.Context(), harness.Attempt{Operation: "checkout", Via: address}); err != nil || connections() != 1 {
		t.Errorf("%v after %d connections", err, connections())
	}
}

// TestRefreshed: other credentials, and the same principal.
func TestRefreshed(t *testing.T) {
	var head string
	address, _ := peer(t, func(h, _ string) string { head = h; return created })
	_, _, err := testCaller(address).Send(t.Context(), harness.Attempt{Operation: "checkout", Principal: "alice", Refreshed: true})
	if err != nil || !strings.Contains(head, "Authorization: Bearer newer\r\n") || strings.Contains(head, "secret") {
		t.Errorf("%v after\n%s", err, head)
	}
}

// TestQuery: what a path is asked besides is appended to its query.
func TestQuery(t *testing.T) {
	for path, want := range map[string]string{"/items/1": "/items/1?page=2", "/items/1?full=1": "/items/1?full=1&page=2"} {
		var head string
		address, _ := peer(t, func(h, _ string) string { head = h; return created })
		c := testCaller(address)
		c.cfg.Render = func(harness.Attempt) (Rendered, error) {
			return Rendered{Method: "GET", Path: path}, nil
		}
		sent, _, err := c.Send(t.Context(), harness.Attempt{Operation: "gateway", Query: "page=2"})
		if err != nil || sent.Path != want || !strings.HasPrefix(head, "GET "+want+" HTTP/1.1\r\n") {
			t.Errorf("%s was asked as %q, recorded as %q: %v", path, head, sent.Path, err)
		}
	}
}
