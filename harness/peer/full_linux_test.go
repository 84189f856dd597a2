package peer

import (
	"errors"
	"net"
	"testing"

	"golang.org/x/sys/unix"
)

// Callers are seen whatever kind of socket they use, and nobody else is.
func TestWaiting(t *testing.T) {
	door, err := newFull(false)
	if err != nil {
		t.Fatal(err)
	}
	defer door.close()
	to := door.listener.Addr().(*net.TCPAddr).AddrPort()
	mapped := to.Addr().As16()
	for n, c := range []struct {
		family  int
		address unix.Sockaddr
	}{
		{unix.AF_INET, &unix.SockaddrInet4{Port: int(to.Port()), Addr: to.Addr().As4()}},
		{unix.AF_INET6, &unix.SockaddrInet6{Port: int(to.Port()), Addr: mapped}},
		{unix.AF_INET6, &unix.SockaddrInet6{Port: int(to.Port()), Addr: [16]byte{15: 1}}}, // another address: refused, or not there
	} {
		fd, err := unix.Socket(c.family, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
		if errors.Is(err, unix.EAFNOSUPPORT) {
			t.Skip("no IPv6 here")
		}
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(fd)
		_ = unix.Connect(fd, c.address) // under way
		who, err := waiting(to)
		if want := min(n+1, 2); err != nil || len(who) != want {
			t.Errorf("%d seen, %v, want %d", len(who), err, want)
		}
	}
	if n := door.knocks(); n != 2 {
		t.Errorf("%d knocks", n)
	}
}

func BenchmarkWaiting(b *testing.B) {
	door, err := newFull(false)
	if err != nil {
		b.Fatal(err)
	}
	defer door.close()
	for b.Loop() {
		door.look()
	}
}
