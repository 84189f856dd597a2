package wire_test

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/wire"
)

// TestRequestBytes sends what Go's own client refuses to send.
func TestRequestBytes(t *testing.T) {
	r := newRig(t, plain, nil)
	caller := dial(t, r.Addr())
	kept := "iDempotency-KEY: \x80\xff k\x01ey\x00 \t\r\n" +
		"Idempotency-Key:second\r\n" +
		"idempotency-key:\r\n" +
		"X-Folded: a\r\n  b\r\n" +
		"Reference:   ref-c  \r\n" +
		"X-Cr: a\rb\r\n" +
		"Accept: */*\r\n"
	caller.send("POST /charges?q=%zz HTTP/1.1\r\nHOST: merchant\r\n" + kept +
		"X-Oncecheck-Case: nobody\r\nConnection: close, X-Hop\r\nX-Hop: 1\r\nKeep-Alive: 5\r\nTE: trailers\r\nUpgrade: h2c\r\n" +
		"content-length: 4\r\n\r\n\x00\r\n\xff")
	caller.rest()
	host := strings.TrimPrefix(r.up.url(), "http://")
	want := "POST /charges?q=%zz HTTP/1.1\r\nHOST: " + host + "\r\n" + kept + "content-length: 4\r\nConnection: close\r\n\r\n\x00\r\n\xff"
	if got := receive(t, r.up.arrived, "the request"); got != want {
		t.Errorf("upstream got\n%q, want\n%q", got, want)
	}
	call := receive(t, r.calls, "the call")
	if call.Key != "\x80\xff k\x01ey\x00, second, " || call.Reference != "ref-c" || call.Path != "/charges" || call.Method != "POST" {
		t.Errorf("journal says %+v", call)
	}
	if sum := fmt.Sprintf("%x", sha256.Sum256([]byte("\x00\r\n\xff"))); call.BodySHA256 != sum {
		t.Errorf("journal has the body hash %q, want %q", call.BodySHA256, sum)
	}
}

func TestChunkedRequest(t *testing.T) {
	r := newRig(t, plain, nil)
	caller := dial(t, r.Addr())
	caller.send("POST /charges HTTP/1.1\r\nHost: x\r\nReference: ref-c\r\nTransfer-Encoding: chunked\r\n\r\n" +
		"3;ext=1\r\nabc\r\n2\r\nde\r\n0\r\nX-Trailer: t\r\n\r\n")
	caller.expect(plain)
	got := receive(t, r.up.arrived, "the request")
	if !strings.HasSuffix(got, "Content-Length: 5\r\nConnection: close\r\n\r\nabcde") || strings.Contains(got, "chunked") {
		t.Errorf("upstream got %q", got)
	}
	// Nothing of the first body may be left over for the second request.
	caller.send(charge())
	caller.expect(plain)
}

func TestAnswers(t *testing.T) {
	for name, c := range map[string]struct{ method, from, want string }{
		"chunked": {"POST", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n3\r\nabc\r\n0\r\nX: 1\r\n\r\n",
			"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"},
		"close-delimited": {"POST", "HTTP/1.0 200 Fine by me\r\nConnection: close\r\n\r\nabc",
			"HTTP/1.1 200 Fine by me\r\nContent-Length: 3\r\n\r\nabc"},
		"interim": {"POST", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\na",
			"HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\na"},
		"head":         {"HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"},
		"no content":   {"POST", "HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 204 No Content\r\n\r\n"},
		"not modified": {"GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n"},
		"bytes": {"POST", "HTTP/1.1 200 \r\nSet-Cookie: \xffa\r\nset-cookie:b \r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n\x00\n",
			"HTTP/1.1 200 \r\nSet-Cookie: \xffa\r\nset-cookie:b \r\nContent-Length: 2\r\n\r\n\x00\n"},
		"server error": {"POST", "HTTP/1.1 503 No\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 503 No\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, c.from, nil)
			caller := dial(t, r.Addr())
			path := map[string]string{"POST": "/charges", "GET": "/charges/1", "HEAD": "/charges/1"}[c.method]
			for range 2 { // the connection has to be in step for a second exchange
				caller.send(c.method + " " + path + " HTTP/1.1\r\nHost: x\r\nReference: ref-c\r\n\r\n")
				caller.expect(c.want)
				if call := receive(t, r.calls, "the call"); call.Outcome != harness.CallAnswered || call.Status != call.Upstream || call.Status == 0 {
					t.Errorf("journal says %+v", call)
				}
			}
		})
	}
}

func TestUpstreamFails(t *testing.T) {
	for name, c := range map[string]struct {
		answer string
		status int
	}{
		"no answer":         {"", 0},
		"half a head":       {"HTTP/1.1 200 OK\r\nX: ", 0},
		"half a body":       {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", 200},
		"half a chunk":      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nabc", 200},
		"not HTTP":          {"SSH-2.0-x\r\n\r\n", 0},
		"two framings":      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n", 200},
		"switching":         {"HTTP/1.1 101 Switching Protocols\r\n\r\n", 0},
		"an oversized body": {"HTTP/1.1 200 OK\r\nContent-Length: 67108865\r\n\r\n", 200},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, c.answer, nil)
			injection := r.inject(t, "payment#1:after-commit:reset")
			caller := dial(t, r.Addr())
			caller.send(charge("Connection: close"))
			got, end := caller.rest()
			if !strings.HasPrefix(got, "HTTP/1.1 502 Bad Gateway\r\n") || !strings.Contains(got, `"code":"UPSTREAM_FAILED"`) || end != "fin" {
				t.Errorf("caller got %q and %s", got, end)
			}
			call := receive(t, r.calls, "the call")
			if call.Outcome != harness.CallUpstream || call.Status != 502 || call.Upstream != c.status || call.Forwarded == 0 || call.Answered != 0 {
				t.Errorf("journal says %+v", call)
			}
			if n := len(r.up.requests()); n != 1 {
				t.Errorf("upstream was asked %d times: a link never asks again", n)
			}
			if injection.Fired() != 0 || call.Fault != "" {
				t.Error("there was no commit to lose the answer of, yet the fault fired")
			}
		})
	}
}

func TestUpstreamUnreachable(t *testing.T) {
	r := newRig(t, plain, nil)
	for _, upstream := range []string{"http://127.0.0.1:1", "ftp://x", "::"} {
		r.SetUpstream(upstream)
		caller := dial(t, r.Addr())
		caller.send(charge("Connection: close"))
		if got, _ := caller.rest(); !strings.HasPrefix(got, "HTTP/1.1 502 ") {
			t.Errorf("caller got %q", got)
		}
		call := receive(t, r.calls, "the call")
		if call.Outcome != harness.CallUpstream || call.Forwarded != 0 || call.Upstream != 0 {
			t.Errorf("journal says %+v", call)
		}
	}
	r.SetUpstream(r.up.url())
	caller := dial(t, r.Addr())
	caller.send(charge())
	caller.expect(plain)
}

func TestKeepAliveAndPipelining(t *testing.T) {
	hold := make(chan struct{})
	r := newRig(t, plain, hold)
	caller := dial(t, r.Addr())
	caller.send(charge() + charge() + "\r\n" + charge("Connection: close"))
	receive(t, r.up.arrived, "the first request")
	close(hold)
	if got, end := caller.rest(); got != plain+plain+closing || end != "fin" {
		t.Errorf("caller got %q and %s", got, end)
	}
	other := dial(t, r.Addr())
	other.send(strings.Replace(charge(), "HTTP/1.1", "HTTP/1.0", 1))
	if got, _ := other.rest(); got != closing {
		t.Errorf("an HTTP/1.0 caller got %q", got)
	}
	for i, conn := range []int64{1, 1, 1, 2} {
		if call := receive(t, r.calls, "a call"); call.Conn != conn || call.Index != i+1 {
			t.Errorf("call %d says %+v, want connection %d", i+1, call, conn)
		}
	}
}

func TestExpectContinue(t *testing.T) {
	r := newRig(t, plain, nil)
	caller := dial(t, r.Addr())
	caller.send("POST /charges HTTP/1.1\r\nHost: x\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\n")
	caller.expect("HTTP/1.1 100 Continue\r\n\r\n")
	caller.send("ok")
	caller.expect(plain)
	if got := receive(t, r.up.arrived, "the request"); strings.Contains(got, "Expect") {
		t.Errorf("upstream got %q", got)
	}
}

func TestAbsoluteTargetAndPrefix(t *testing.T) {
	r := newRig(t, plain, nil)
	r.SetUpstream(r.up.url() + "/v1/")
	for target, want := range map[string]string{
		"http://merchant/charges?x=http://y": "/v1/charges?x=http://y", "http://merchant": "/v1/", "http://merchant?q": "/v1/?q", "/a?b": "/v1/a?b", "*": "*",
	} {
		caller := dial(t, r.Addr())
		caller.send("OPTIONS " + target + " HTTP/1.1\r\n\r\n")
		caller.expect(plain)
		if got := receive(t, r.up.arrived, "the request"); !strings.HasPrefix(got, "OPTIONS "+want+" HTTP/1.1\r\nHost: ") {
			t.Errorf("upstream got %q for the target %s", got, target)
		}
	}
}

func TestRefusals(t *testing.T) {
	who := "X-Oncecheck-Case: c\r\n"
	for name, c := range map[string]struct {
		raw      string
		status   int
		nameless bool
	}{
		"no colon":         {"POST /charges HTTP/1.1\r\n" + who + "nonsense\r\n\r\n", 400, true},
		"blank in name":    {"POST /charges HTTP/1.1\r\n" + who + "Content-Length : 3\r\n\r\n", 400, true},
		"request line":     {"POST /char ges HTTP/1.1\r\n" + who + "\r\n", 400, true},
		"version":          {"POST /charges HTTP/2.0\r\n" + who + "\r\n", 400, true},
		"authority target": {"CONNECT x:443 HTTP/1.1\r\n" + who + "\r\n", 400, true},
		"bad length":       {"POST /charges HTTP/1.1\r\n" + who + "Content-Length: +3\r\n\r\nabc", 400, false},
		"two lengths":      {"POST /charges HTTP/1.1\r\n" + who + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", 400, false},
		"two framings":     {"POST /charges HTTP/1.1\r\n" + who + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, false},
		"unknown coding":   {"POST /charges HTTP/1.1\r\n" + who + "Transfer-Encoding: gzip\r\n\r\n", 400, false},
		"bad chunk":        {"POST /charges HTTP/1.1\r\n" + who + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n\r\n", 400, false},
		"too large":        {"POST /charges HTTP/1.1\r\n" + who + "Content-Length: 16777217\r\n\r\nabc", 413, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, plain, nil)
			injection := r.inject(t, "payment#*:before-forward:reset")
			caller := dial(t, r.Addr())
			caller.send(c.raw)
			_ = caller.CloseWrite()
			if got, end := caller.rest(); !strings.HasPrefix(got, fmt.Sprintf("HTTP/1.1 %d ", c.status)) || end != "fin" {
				t.Errorf("caller got %q and %s", got, end)
			}
			call := receive(t, r.calls, "the call")
			if call.Status != c.status || call.Upstream != 0 || call.Index != 1 || call.Outcome != harness.CallAnswered || (call.Operation == "") != c.nameless {
				t.Errorf("journal says %+v", call)
			}
			if len(r.up.requests()) != 0 || injection.Fired() != 0 {
				t.Error("a refused request was forwarded or met a fault")
			}
		})
	}
}

func TestHeadTooLarge(t *testing.T) {
	r := newRig(t, plain, nil)
	caller := dial(t, r.Addr())
	caller.send("POST /charges HTTP/1.1\r\nX: " + strings.Repeat("x", 1<<20))
	_ = caller.CloseWrite()
	if got, _ := caller.rest(); !strings.HasPrefix(got, "HTTP/1.1 431 ") {
		t.Errorf("caller got %.80q", got)
	}
}

// A request that never arrived in full is no exchange.
func TestIncompleteRequests(t *testing.T) {
	r := newRig(t, plain, nil)
	for _, raw := range []string{"", "POST /charges HTT", strings.TrimSuffix(charge(), "y")} {
		caller := dial(t, r.Addr())
		caller.send(raw)
		_ = caller.CloseWrite()
		if got, end := caller.rest(); got != "" || end != "fin" {
			t.Errorf("caller got %q and %s", got, end)
		}
	}
	if len(r.up.requests()) != 0 || len(r.calls) != 0 || r.journal.InFlight("c") != 0 {
		t.Error("an incomplete request left a trace")
	}
}

func TestOpenRefuses(t *testing.T) {
	for _, cfg := range []wire.Config{{}, {Upstream: "nonsense"}, {Upstream: "http://127.0.0.1:1", Listen: "256.0.0.1:0"}} {
		if l, err := wire.Open(cfg, wire.NewJournal()); err == nil {
			_ = l.Close()
			t.Errorf("%+v was opened", cfg)
		}
	}
}
