package peer_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// eventually polls for something that no event tells.
func eventually(t testing.TB, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	timeout := time.After(guard)
	for !holds() {
		select {
		case <-tick.C:
		case <-timeout:
			t.Fatal("it never came to be")
		}
	}
}

// Requests are told as they came, and the n-th meets the n-th step.
func TestRequestsAreToldAsTheyCame(t *testing.T) {
	o := steps(t, harness.Step{Status: 503, Header: [][2]string{{"retry-after", "1"}, {"Retry-After", " 2,"}}}, harness.Step{Status: 200, Body: "done"})
	conn := dial(t, o.host())
	br := bufio.NewReader(conn)
	send(t, conn, "POST http://host/items/sku-1?a=%20b HTTP/1.1\r\nhost: x\r\nIdempotency-KEY:  k-1 \r\nX-Odd: a\r\nx-odd: \xff\r\nX-Correlation-ID: c-1\r\nContent-Length: 5\r\n\r\nhello")
	raw := make([]byte, 0, 200)
	for !bytes.HasSuffix(raw, []byte("\r\n\r\n")) {
		line, err := br.ReadSlice('\n')
		if err != nil {
			t.Fatal(err)
		}
		raw = append(raw, line...)
	}
	if want := "HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nRetry-After:  2,\r\nContent-Length: 0\r\n\r\n"; string(raw) != want {
		t.Errorf("answered %q, want %q", raw, want)
	}
	send(t, conn, "POST /second HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\nX-Trailer: t\r\n\r\n")
	if _, body, err := readAnswer(t, br, "POST"); err != nil || string(body) != "done" {
		t.Errorf("answered %q, %v", body, err)
	}
	send(t, conn, "GET /third HTTP/1.1\r\nConnection: close\r\n\r\n")
	if resp, _, err := readAnswer(t, br, "GET"); err != nil || !resp.Close {
		t.Errorf("answered %v, %v", resp, err)
	}
	if _, err := br.ReadByte(); !errors.Is(err, io.EOF) {
		t.Errorf("the connection did not end: %v", err)
	}
	conn.Close()
	calls, conns := o.until(t, 3, 1)
	first := calls[0]
	wantLines := [][2]string{{"host", "x"}, {"Idempotency-KEY", "k-1"}, {"X-Odd", "a"}, {"x-odd", "\xff"}, {"X-Correlation-ID", "c-1"}, {"Content-Length", "5"}}
	if !slices.Equal(first.Lines, wantLines) || first.Key != "k-1" || first.CorrelationID != "c-1" || first.Path != "http://host/items/sku-1?a=%20b" || first.Method != "POST" {
		t.Errorf("the request was told as %+v", first)
	}
	for i, c := range calls {
		if c.Index != i+1 || c.Step != min(i+1, 2) || c.Link != harness.LinkDependency || c.Outcome != harness.CallAnswered || c.Started > c.Ended || c.Started == 0 {
			t.Errorf("call %d was told as %+v", i, c)
		}
	}
	for _, c := range calls[:2] {
		if c.BodyBytes != 5 || c.BodySHA256 != sum([]byte("hello")) {
			t.Errorf("the body was told as %d bytes, %s", c.BodyBytes, c.BodySHA256)
		}
	}
	if first.Fault != "dependency#1:status(503,1, 2,)" || first.Status != 503 || first.Answers != sum(nil) || calls[1].Answers != sum([]byte("done")) || calls[1].Fault != "" {
		t.Errorf("the answers were told as %+v", calls)
	}
	if k := conns[0]; k.Requests != 3 || k.By != harness.ByPeer || k.Secure || k.Problem != "" || k.Opened > first.Started || k.Closed < calls[2].Ended {
		t.Errorf("the connection was told as %+v", k)
	}
}

// Bodies arrive as the step says, whatever their framing and pace.
func TestBodies(t *testing.T) {
	for _, c := range []struct {
		name    string
		step    harness.Step
		method  string
		length  int64 // as announced, -1 is unknown
		chunked bool
		closes  bool
		bytes   int
	}{
		{name: "empty", step: harness.Step{Status: 200}},
		{name: "text", step: harness.Step{Status: 200, Body: "hello"}, length: 5, bytes: 5},
		{name: "sized", step: harness.Step{Status: 200, Size: 70_000}, length: 70_000, bytes: 70_000},
		{name: "chunked", step: harness.Step{Status: 200, Size: 40_000, Chunked: true}, length: -1, chunked: true, bytes: 40_000},
		{name: "chunked and empty", step: harness.Step{Status: 200, Chunked: true}, length: -1, chunked: true},
		{name: "ends with the connection", step: harness.Step{Status: 200, Size: 300, Open: true}, length: -1, closes: true, bytes: 300},
		{name: "trickles", step: harness.Step{Status: 200, Body: "abcde", Every: ms}, length: 5, bytes: 5},
		{name: "trickles in chunks", step: harness.Step{Status: 200, Body: "abcde", Every: ms, Chunked: true}, length: -1, chunked: true, bytes: 5},
		{name: "trickles in pieces", step: harness.Step{Status: 200, Size: 100_000, Every: ms}, length: 100_000, bytes: 100_000},
		{name: "HEAD", method: "HEAD", step: harness.Step{Status: 200, Size: 300}, length: 300},
		{name: "HEAD of chunks", method: "HEAD", step: harness.Step{Status: 200, Size: 300, Chunked: true}, length: -1, chunked: true},
		{name: "204", step: harness.Step{Status: 204, Size: 300}},
		{name: "304", step: harness.Step{Status: 304, Size: 300}},
		{name: "length of the step's own", step: harness.Step{Status: 200, Body: "abcde", Header: [][2]string{{"Content-Length", "3"}, {"Connection", "close"}}}, length: 3, closes: true, bytes: 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			method := c.method
			if method == "" {
				method = "GET"
			}
			o := steps(t, c.step)
			resp, body, err := ask(t, client(t), method, o.URL()+"/x", "")
			if err != nil {
				t.Fatal(err)
			}
			if len(body) != c.bytes || resp.ContentLength != c.length || slices.Equal(resp.TransferEncoding, []string{"chunked"}) != c.chunked || resp.Close != c.closes {
				t.Errorf("%d bytes arrived, announced as %d %v, close %v", len(body), resp.ContentLength, resp.TransferEncoding, resp.Close)
			}
			calls, _ := o.until(t, 1, 0)
			if got := calls[0]; got.Outcome != harness.CallAnswered || (c.bytes == len(c.step.Content()) && got.Answers != sum(body)) {
				t.Errorf("told as %+v, and %s arrived", got, sum(body))
			}
			if c.step.Every > 0 {
				pieces := min(c.bytes, (c.bytes+16<<10-1)/(16<<10))
				if c.bytes < 64<<10 {
					pieces = c.bytes
				}
				if took, least := calls[0].Ended-calls[0].Started, time.Duration(pieces-1)*c.step.Every.Std(); took < least {
					t.Errorf("%d pieces took %s, at least %s were asked for", pieces, took, least)
				}
			}
		})
	}
}

// A delay is one: the first byte comes no earlier.
func TestDelay(t *testing.T) {
	o := steps(t, harness.Step{Status: 504, Delay: 30 * ms})
	began := o.now()
	resp, _, err := ask(t, client(t), "GET", o.URL(), "")
	if err != nil || resp.StatusCode != 504 || o.now()-began < 30*time.Millisecond {
		t.Errorf("%v, %v after %s", resp, err, o.now()-began)
	}
	calls, _ := o.until(t, 1, 0)
	if took := calls[0].Ended - calls[0].Started; took < 30*time.Millisecond || calls[0].Fault != "dependency#1+:delay(30ms)+status(504)" {
		t.Errorf("told as %+v", calls[0])
	}
}

// A caller that waits for a 100 before it sends its body gets one.
func TestExpectContinue(t *testing.T) {
	o := steps(t, harness.Step{Status: 200, Body: "ok"})
	conn := dial(t, o.host())
	br := bufio.NewReader(conn)
	send(t, conn, "PUT / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n")
	resp, err := http.ReadResponse(br, nil)
	if err != nil || resp.StatusCode != 100 {
		t.Fatal(resp, err)
	}
	send(t, conn, "body")
	if _, body, err := readAnswer(t, br, "PUT"); err != nil || string(body) != "ok" {
		t.Error(string(body), err)
	}
	if calls, _ := o.until(t, 1, 0); calls[0].BodySHA256 != sum([]byte("body")) {
		t.Errorf("told as %+v", calls[0])
	}
}

// What a caller sends while it is watched is not lost.
func TestPipelined(t *testing.T) {
	o := steps(t, harness.Step{Status: 200, Body: "slow", Delay: 20 * ms}, harness.Step{Status: 200, Body: "next"})
	conn := dial(t, o.host())
	br := bufio.NewReader(conn)
	send(t, conn, get)
	o.met(t, 1)
	send(t, conn, get)
	for _, want := range []string{"slow", "next"} {
		if _, body, err := readAnswer(t, br, "GET"); err != nil || string(body) != want {
			t.Errorf("answered %q, %v, want %q", body, err, want)
		}
	}
}

// Requests that never came in full are no calls; their connections say why.
func TestUnreadRequests(t *testing.T) {
	for _, c := range []struct {
		name, sent string
		answered   int // 0: the caller leaves instead
		problem    string
	}{
		{"nothing", "", 0, ""},
		{"a part of a head", "GET / HTTP/1.1\r\nHost:", 0, "only in part: 21 bytes of its head"},
		{"a part of a body", "POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nabc", 0, "only in part: 3 of 9 bytes of its body"},
		{"a part of a chunk", "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nabc", 0, "only in part: 3 bytes of its body"},
		{"no trailers", "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", 0, "only in part: its trailers"},
		{"no HTTP", "hello\r\n", 400, "malformed request: the request line"},
		{"HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "malformed request: the request line"},
		{"no header name", "GET / HTTP/1.1\r\nno colon\r\n\r\n", 400, "malformed request: header line 1 has no valid name"},
		{"folded line", "GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n", 400, "header line 2 continues"},
		{"two lengths", "GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400, `"2" is no number or contradicts`},
		{"two framings", "GET / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400, "both a transfer coding and"},
		{"unknown coding", "GET / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", 400, `"gzip" is not supported`},
		{"bad chunk", "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400, "malformed request"},
		{"large head", "GET / HTTP/1.1\r\nA: " + strings.Repeat("a", 1<<20) + "\r\n\r\n", 413, "larger than the peer reads"},
		{"large body", "POST / HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n", 413, "its body has 99999999 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := steps(t, harness.Step{Status: 200})
			conn := dial(t, o.host())
			send(t, conn, c.sent)
			if c.answered > 0 {
				resp, _, err := readAnswer(t, bufio.NewReader(conn), "GET")
				if err != nil || resp.StatusCode != c.answered {
					t.Errorf("answered %v, %v, want %d", resp, err, c.answered)
				}
			} else {
				eventually(t, func() bool { return o.Connections() == 1 })
			}
			conn.Close()
			calls, conns := o.until(t, 0, 1)
			if k := conns[0]; len(calls) != 0 || k.Requests != 0 || !strings.Contains(k.Problem, c.problem) || (k.Problem == "") != (c.problem == "") {
				t.Errorf("told as %+v, %+v, want %q", calls, k, c.problem)
			}
			if o.Requests() != 0 {
				t.Errorf("%d requests count", o.Requests())
			}
		})
	}
}

// A connection that is idle when the peer closes was ended by the peer; one that
// the caller gave up, by the caller.
func TestIdleConnections(t *testing.T) {
	o := steps(t, harness.Step{Status: 200})
	gone, stays := dial(t, o.host()), dial(t, o.host())
	for _, c := range []io.ReadWriter{gone, stays} {
		send(t, c, get)
		if _, _, err := readAnswer(t, bufio.NewReader(c), "GET"); err != nil {
			t.Fatal(err)
		}
	}
	gone.Close()
	if _, conns := o.until(t, 2, 1); conns[0].By != harness.ByCaller {
		t.Errorf("told as %+v", conns[0])
	}
	o.close(t)
	if _, conns := o.until(t, 2, 2); conns[1].By != harness.ByPeer {
		t.Errorf("told as %+v", conns[1])
	}
	if _, err := stays.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("the idle connection ended with %v", err)
	}
}

// Scripts that could not be carried out as they are written are refused.
func TestImpossibleScripts(t *testing.T) {
	own := open(t, harness.Script{}).own
	for _, c := range []struct {
		script harness.Script
		want   string
	}{
		{harness.Script{Steps: []harness.Step{{}}}, "an answer needs a status"},
		{harness.Script{Steps: []harness.Step{{Status: 200}, {Status: 103}}}, "step 2"},
		{harness.Script{Steps: []harness.Step{{Delay: ms}}}, "an answer needs a status"},
		{harness.Script{Steps: []harness.Step{{Break: "melt"}}}, `no break "melt"`},
		{harness.Script{Steps: []harness.Step{{Status: 200, Chunked: true, Open: true}}}, "either chunked or"},
		{harness.Script{Steps: []harness.Step{{Status: 200, Open: true, Break: harness.BreakShort}}}, "nobody knows its length"},
		{harness.Script{Steps: []harness.Step{{Status: 200, Open: true, Break: harness.BreakChunk}}}, "need a body in chunks"},
		{harness.Script{Door: harness.Door{Kind: "cat"}}, `no door "cat"`},
		{harness.Script{Door: harness.Door{Kind: harness.DoorFull, For: -ms}}, "cannot be shut for"},
	} {
		if _, err := own.Open(t.Context(), "", c.script, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.script, err, c.want)
		}
	}
}
