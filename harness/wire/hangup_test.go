package wire_test

import (
	"io"
	"net"
	"strings"
	"testing"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/wire"
)

// listener is an upstream that tells when a request begins to arrive, since a link
// connects before it sends, and all that arrived on each connection, once the link
// ended it.
func listener(t *testing.T) (url string, began chan struct{}, got chan string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	began, got = make(chan struct{}, 10), make(chan string, 10)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			first := make([]byte, 1)
			if n, _ := conn.Read(first); n > 0 {
				began <- struct{}{}
				rest, _ := io.ReadAll(conn)
				got <- string(first) + string(rest)
			}
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-done })
	return "http://" + l.Addr().String(), began, got
}

func passing(upstream string) func(*wire.Config) {
	return func(c *wire.Config) { c.Upstream, c.PassHangUp = upstream, true }
}

// A caller that leaves while the upstream works takes the connection there along.
func TestHangUpIsPassedOn(t *testing.T) {
	url, began, got := listener(t)
	r := newRig(t, plain, nil, passing(url))
	caller := dial(t, r.Addr())
	caller.send(charge())
	receive(t, began, "the request upstream")
	_ = caller.Close()
	if raw := receive(t, got, "its end"); !strings.HasSuffix(raw, "\r\n\r\nbody") {
		t.Errorf("upstream got %q", raw)
	}
	call := receive(t, r.calls, "the call")
	if call.Outcome != harness.CallPeerLeft || call.Forwarded == 0 || call.Answered != 0 || call.Upstream != 0 || call.Status != 0 {
		t.Errorf("journal says %+v", call)
	}
}

// Without being told to, a link lets the exchange go on to its end.
func TestHangUpIsKept(t *testing.T) {
	hold := make(chan struct{})
	r := newRig(t, plain, hold)
	caller := dial(t, r.Addr())
	caller.send(charge())
	receive(t, r.up.arrived, "the request")
	_ = caller.Close()
	close(hold)
	if call := receive(t, r.calls, "the call"); call.Upstream != 201 || call.Answered == 0 {
		t.Errorf("journal says %+v", call)
	}
}

// Of a request that breaks off in its body the upstream gets what there was, and
// no fault that waits for the request acts on that.
func TestPartIsPassedOn(t *testing.T) {
	url, _, got := listener(t)
	r := newRig(t, plain, nil, passing(url))
	injection := r.inject(t, "payment#1:before-forward:reset")
	caller := dial(t, r.Addr())
	caller.send(strings.TrimSuffix(charge(), "dy"))
	_ = caller.Close()
	if raw := receive(t, got, "a part of the request"); !strings.Contains(raw, "Content-Length: 4\r\n") || !strings.HasSuffix(raw, "\r\n\r\nbo") {
		t.Errorf("upstream got %q", raw)
	}
	call := receive(t, r.calls, "the call")
	if call.Outcome != harness.CallPart || call.Forwarded == 0 || call.Upstream != 0 || call.Index != 1 || injection.Fired() != 0 {
		t.Errorf("journal says %+v, and the fault fired %d times", call, injection.Fired())
	}
}

// A head that breaks off is no part of a request that anybody could make use of.
func TestPartOfAHeadIsNoExchange(t *testing.T) {
	url, began, _ := listener(t)
	r := newRig(t, plain, nil, passing(url))
	for _, raw := range []string{"POST /charges HTT", strings.TrimSuffix(charge(), "body")} {
		caller := dial(t, r.Addr())
		caller.send(raw)
		_ = caller.CloseWrite()
		if got, end := caller.rest(); got != "" || end != "fin" {
			t.Errorf("caller got %q and %s", got, end)
		}
	}
	if len(began) > 0 || len(r.calls) > 0 {
		t.Error("it was passed on")
	}
}

// A part that cannot be passed on was seen by nobody.
func TestPartWithoutUpstream(t *testing.T) {
	r := newRig(t, plain, nil, passing("http://127.0.0.1:1"))
	caller := dial(t, r.Addr())
	caller.send(strings.TrimSuffix(charge(), "dy"))
	_ = caller.Close()
	if call := receive(t, r.calls, "the call"); call.Outcome != harness.CallPeerLeft || call.Forwarded != 0 {
		t.Errorf("journal says %+v", call)
	}
}
