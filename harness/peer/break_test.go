package peer_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
)

// What each break puts on the wire, what a reader of HTTP makes of it, and what
// the peer tells of it.
func TestBreaks(t *testing.T) {
	body := string(harness.Step{Size: 400}.Content())
	const statusLine = "HTTP/1.1 200 OK\r\n"
	for _, c := range []struct {
		name    string
		step    harness.Step
		method  string
		wire    func(raw []byte) bool // what arrived
		end     error                 // nil is FIN
		outcome harness.CallOutcome
		status  int
	}{
		{name: "close", step: harness.Step{Break: harness.BreakClose},
			wire: empty, outcome: harness.CallClosed},
		{name: "reset", step: harness.Step{Break: harness.BreakReset},
			wire: empty, end: syscall.ECONNRESET, outcome: harness.CallReset},
		{name: "garbage", step: harness.Step{Break: harness.BreakGarbage},
			wire: func(raw []byte) bool { return len(raw) > 0 && !bytes.HasPrefix(raw, []byte("HTTP")) }, outcome: harness.CallGarbage},
		{name: "truncated", step: harness.Step{Status: 200, Size: 400, Break: harness.BreakShort},
			wire: ends("Content-Length: 400\r\n\r\n" + body[:200]), outcome: harness.CallTruncated, status: 200},
		{name: "truncated without a body of its own", step: harness.Step{Status: 200, Break: harness.BreakShort},
			wire: contains("Content-Length: 1024\r\n\r\n" + body[:100]), outcome: harness.CallTruncated, status: 200},
		{name: "truncated in chunks", step: harness.Step{Status: 200, Size: 400, Chunked: true, Break: harness.BreakShort},
			wire: ends("chunked\r\n\r\nc8\r\n" + body[:200] + "\r\n"), outcome: harness.CallTruncated, status: 200},
		{name: "truncated answer to HEAD", method: "HEAD", step: harness.Step{Status: 200, Size: 400, Break: harness.BreakShort},
			wire: ends(statusLine + "Content-Length: 400\r\n"), outcome: harness.CallTruncated, status: 200},
		{name: "truncated 204", step: harness.Step{Status: 204, Break: harness.BreakShort},
			wire: ends("HTTP/1.1 204 No Content\r\n"), outcome: harness.CallTruncated, status: 204},
		{name: "reset in the body", step: harness.Step{Status: 200, Size: 400, Break: harness.BreakCut},
			wire: ends("\r\n\r\n" + body[:200]), end: syscall.ECONNRESET, outcome: harness.CallReset, status: 200},
		{name: "reset in a large body", step: harness.Step{Status: 200, Size: 1 << 20, Break: harness.BreakCut},
			wire: func(raw []byte) bool { return len(raw) > 1<<19 && len(raw) < 1<<19+200 }, end: syscall.ECONNRESET, outcome: harness.CallReset, status: 200},
		{name: "reset in an answer to HEAD", method: "HEAD", step: harness.Step{Status: 200, Size: 400, Break: harness.BreakCut},
			wire: ends("Content-Length: 400\r\n"), end: syscall.ECONNRESET, outcome: harness.CallReset, status: 200},
		{name: "reset in a body that ends with the connection", step: harness.Step{Status: 200, Size: 400, Open: true, Break: harness.BreakCut},
			wire: ends("Connection: close\r\n\r\n" + body[:200]), end: syscall.ECONNRESET, outcome: harness.CallReset, status: 200},
		{name: "bad chunk", step: harness.Step{Status: 200, Size: 400, Break: harness.BreakChunk},
			wire: ends("c8\r\n" + body[:200] + "\r\n4\r\nno chunk ends so\r\n"), outcome: harness.CallTruncated, status: 200},
		{name: "after a delay", step: harness.Step{Delay: 5 * ms, Break: harness.BreakClose},
			wire: empty, outcome: harness.CallClosed},
	} {
		t.Run(c.name, func(t *testing.T) {
			method := c.method
			if method == "" {
				method = "GET"
			}
			o := steps(t, c.step)
			conn := dial(t, o.host())
			send(t, conn, strings.Replace(get, "GET", method, 1))
			raw, err := io.ReadAll(conn)
			if !errors.Is(err, c.end) || !c.wire(raw) {
				t.Errorf("%d bytes and %v arrived, want the end %v: %.300q", len(raw), err, c.end, raw)
			}
			conn.Close()
			calls, conns := o.until(t, 1, 1)
			got := calls[0]
			if got.Outcome != c.outcome || got.Status != c.status || got.Answers != "" || got.Fault != "dependency#1+:"+c.step.String() {
				t.Errorf("the call was told as %+v", got)
			}
			if conns[0].By != harness.ByPeer || conns[0].Requests != 1 || conns[0].ID != got.Conn {
				t.Errorf("the connection was told as %+v", conns[0])
			}

			_, _, err = ask(t, client(t), method, o.URL(), "")
			if err == nil {
				t.Error("net/http takes it for an answer")
			}
		})
	}
}

func empty(raw []byte) bool { return len(raw) == 0 }

func ends(text string) func([]byte) bool {
	return func(raw []byte) bool { return bytes.HasSuffix(raw, []byte(text)) }
}

func contains(text string) func([]byte) bool {
	return func(raw []byte) bool { return bytes.Contains(raw, []byte(text)) }
}

// Breaks that last until somebody leaves: the caller leaves by FIN, by RST, or
// the peer is closed.
func TestHolds(t *testing.T) {
	for _, c := range []struct {
		name  string
		step  harness.Step
		shown string // what arrives before it holds
	}{
		{"silent", harness.Step{Break: harness.BreakSilent}, ""},
		{"delay", harness.Step{Delay: 3600_000 * ms, Status: 200}, ""},
		{"stall after the head", harness.Step{Status: 200, Break: harness.BreakHeaders}, "HTTP/1.1 200 OK\r\nContent-Length: 1024\r\n\r\n"},
		{"stall in chunks", harness.Step{Status: 200, Chunked: true, Break: harness.BreakHeaders}, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"},
		{"slow body", harness.Step{Status: 200, Body: "abc", Every: 3600_000 * ms}, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\na"},
		{"interim flood", harness.Step{Break: harness.BreakInterim}, strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n", 2)},
		{"body larger than the sockets take", harness.Step{Status: 200, Size: 16 << 20}, "HTTP/1.1 200 OK\r\n"},
	} {
		for _, end := range []string{"FIN", "RST", "peer"} {
			t.Run(c.name+" "+end, func(t *testing.T) {
				o := steps(t, c.step)
				conn := dial(t, o.host())
				send(t, conn, get)
				shown := make([]byte, len(c.shown))
				if _, err := io.ReadFull(conn, shown); err != nil || string(shown) != c.shown {
					t.Fatalf("%q and %v arrived, want %q", shown, err, c.shown)
				}
				o.met(t, 1)
				if n := o.Connections(); n != 1 {
					t.Errorf("%d connections are open", n)
				}
				outcome, by, before := harness.CallPeerLeft, harness.ByCaller, o.now()
				switch end {
				case "RST":
					_ = conn.SetLinger(0)
					fallthrough
				case "FIN":
					conn.Close()
				default:
					outcome, by = harness.CallClosed, harness.ByPeer
					o.close(t)
				}
				calls, conns := o.until(t, 1, 1)
				after := o.now()
				if calls[0].Outcome != outcome || conns[0].By != by || calls[0].Answers != "" {
					t.Errorf("told as %+v, %+v", calls[0], conns[0])
				}
				if at := conns[0].Closed; at < before || at > after {
					t.Errorf("the end at %s was seen at %s, told by %s", before, at, after)
				}
				if n := o.Connections(); n != 0 {
					t.Errorf("%d connections are open", n)
				}
			})
		}
	}
}

// met waits until a peer has read so many requests.
func (o *opened) met(t *testing.T, n int) {
	t.Helper()
	eventually(t, func() bool { return o.Requests() >= n })
}

// A caller that is told the end and keeps its own end open is seen to do so.
func TestCallerThatStays(t *testing.T) {
	o := steps(t, harness.Step{Status: 200, Break: harness.BreakShort})
	conn := dial(t, o.host())
	send(t, conn, get)
	if _, err := io.ReadAll(conn); err != nil {
		t.Fatal(err)
	}
	o.until(t, 1, 0)
	if n := o.Connections(); n != 1 {
		t.Errorf("%d connections are open, although the caller's end is", n)
	}
	left := o.now()
	conn.Close()
	_, conns := o.until(t, 1, 1)
	if conns[0].By != harness.ByPeer || conns[0].Closed < left {
		t.Errorf("told as %+v, and the caller left at %s", conns[0], left)
	}
}

// A break for reused connections leaves the first request of each alone.
func TestReused(t *testing.T) {
	o := steps(t, harness.Step{Status: 201, Body: "first"}, harness.Step{Break: harness.BreakReset, Reused: true})
	c := client(t)
	if resp, _, err := ask(t, c, "GET", o.URL(), ""); err != nil || resp.StatusCode != 201 {
		t.Fatal(resp, err)
	}
	if _, _, err := ask(t, c, "POST", o.URL(), "x"); err == nil {
		t.Error("the reused connection was not broken")
	}
	if resp, _, err := ask(t, client(t), "GET", o.URL(), ""); err != nil || resp.StatusCode != 200 {
		t.Error("the first request of a connection was broken:", err)
	}
	calls, _ := o.until(t, 3, 1)
	calls = byIndex(calls)
	if calls[1].Ended > calls[2].Started {
		t.Errorf("the third request came at %s, before what it reacts to: %s", calls[2].Started, calls[1].Ended)
	}
	if met := o.Met(); met[0] != 1 || met[1] != 1 || o.Requests() != 3 {
		t.Errorf("met %v of %d requests", met, o.Requests())
	}
	if calls[1].Fault != "dependency#2+:reset(reused)" || calls[2].Fault != "" || calls[2].Step != 2 {
		t.Errorf("told as %+v", calls[1:])
	}
}
