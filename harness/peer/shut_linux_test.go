package peer_test

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/oncecheck/oncecheck/harness"
)

func shut(t *testing.T, kind harness.DoorKind, closed harness.Duration) *opened {
	t.Helper()
	return open(t, harness.Script{Door: harness.Door{Kind: kind, For: closed}, Steps: []harness.Step{{Status: 200, Body: "open"}}})
}

func connect(ctx context.Context, o *opened) error {
	c, err := (&net.Dialer{}).DialContext(ctx, "tcp", o.host())
	if err == nil {
		c.Close()
	}
	return err
}

func TestDoorRefused(t *testing.T) {
	o := shut(t, harness.DoorRefused, 0)
	for range 2 {
		if err := connect(t.Context(), o); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("a caller got %v", err)
		}
	}
	eventually(t, func() bool { return o.Knocks() == 2 })
	o.close(t)
	if err := connect(t.Context(), o); !errors.Is(err, syscall.ECONNREFUSED) || o.Knocks() != 2 {
		t.Errorf("after the end %v, %d", err, o.Knocks())
	}
}

// Each door knows its own: what others were refused elsewhere proves nothing.
func TestDoorRefusedCountsItsOwn(t *testing.T) {
	o, other := shut(t, harness.DoorRefused, 0), shut(t, harness.DoorRefused, 0)
	for range 3 {
		if err := connect(t.Context(), other); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("a caller got %v", err)
		}
	}
	if err := mapped(o); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("a caller by IPv6 got %v", err)
	}
	eventually(t, func() bool { return other.Knocks() == 3 && o.Knocks() == 1 })
}

// mapped connects by a socket of IPv6, as the JVM does, to the mapped address.
func mapped(o *opened) error {
	fd, err := unix.Socket(unix.AF_INET6, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	at := netip.MustParseAddrPort(o.host())
	return unix.Connect(fd, &unix.SockaddrInet6{Port: int(at.Port()), Addr: at.Addr().As16()})
}

func TestDoorRefusedOpens(t *testing.T) {
	o := shut(t, harness.DoorRefused, ms) // its time begins with the first caller
	if err := connect(t.Context(), o); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Fatalf("a caller got %v", err)
	}
	var body []byte
	eventually(t, func() bool {
		var err error
		_, body, err = ask(t, client(t), "GET", o.URL(), "")
		return err == nil
	})
	if string(body) != "open" || o.Knocks() < 1 {
		t.Errorf("answered %q after %d refusals", body, o.Knocks())
	}
	if marks := o.marked(); !slices.Equal(marks, []string{harness.MarkDoorOpened}) {
		t.Errorf("told %q", marks)
	}
}

func TestDoorFull(t *testing.T) {
	o := shut(t, harness.DoorFull, 0)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ends := make(chan error, 2)
	for range cap(ends) {
		go func() { ends <- connect(ctx, o) }()
	}
	eventually(t, func() bool { return o.Knocks() == 2 })
	if o.Connections() != 0 || len(ends) != 0 {
		t.Errorf("%d connections, %d callers ended", o.Connections(), len(ends))
	}
	cancel()
	for range cap(ends) {
		if err := <-ends; err == nil {
			t.Error("a caller got through")
		}
	}
	o.close(t)
	if calls, conns := o.until(t, 0, 0); len(calls)+len(conns) != 0 || o.Knocks() != 2 {
		t.Errorf("told %v, %v, %d knocks", calls, conns, o.Knocks())
	}
}

// Who waits when the door opens comes in when the kernel asks again, a second
// after it asked first.
func TestDoorFullOpens(t *testing.T) {
	o := shut(t, harness.DoorFull, 100*ms)
	began := o.now()
	_, body, err := ask(t, client(t), "GET", o.URL(), "")
	if err != nil || string(body) != "open" {
		t.Fatalf("answered %q, %v", body, err)
	}
	if waited := o.now() - began; waited < 100*time.Millisecond || o.Knocks() != 1 {
		t.Errorf("the door was open after %s, %d knocks", waited, o.Knocks())
	}
	o.close(t)
	calls, conns := o.until(t, 1, 1)
	if len(conns) != 1 || conns[0].Requests != 1 || calls[0].Conn != conns[0].ID {
		t.Errorf("told as %+v", conns)
	}
}
