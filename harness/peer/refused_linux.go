package peer

import (
	"errors"
	"fmt"
	"net"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// refusal is a port that is taken, and on which nobody listens: the kernel
// refuses who connects to it. It is taken, not merely free, so that nobody else
// gets it and it can be opened later.
type refusal struct {
	host string

	mu       sync.Mutex
	fd       int
	over     bool
	before   int // RSTs that the kernel had sent when the door was made
	refusals int
}

func newRefusal() (*refusal, error) {
	before, err := resets().read()
	if err != nil {
		return nil, err
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("make a socket: %w", err)
	}
	r := &refusal{fd: fd, before: before}
	if err := r.bind(); err != nil {
		_ = unix.Close(fd)
		return nil, fmt.Errorf("take a port: %w", err)
	}
	return r, nil
}

func (r *refusal) bind() error {
	if err := unix.SetsockoptInt(r.fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1); err != nil {
		return err
	}
	if err := unix.Bind(r.fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return err
	}
	bound, err := unix.Getsockname(r.fd)
	if err != nil {
		return err
	}
	at, ok := bound.(*unix.SockaddrInet4)
	if !ok {
		return errors.New("the port has no IPv4 address")
	}
	r.host = fmt.Sprintf("127.0.0.1:%d", at.Port)
	return nil
}

func (r *refusal) address() string { return r.host }

func (r *refusal) many() bool { return false }

// look reads how many connections the kernel has refused since. It counts those
// of all ports together, so this is an upper bound.
func (r *refusal) look() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return
	}
	if now, err := resets().read(); err == nil {
		r.refusals = now - r.before
	}
}

// left returns nobody: the kernel does not say whom it refused.
func (r *refusal) left(bool) []wait { return nil }

func (r *refusal) knocks() int {
	r.look()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.refusals
}

func (r *refusal) open() (*net.TCPListener, string, error) {
	r.look()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	if err := unix.Listen(r.fd, queue); err != nil {
		return nil, "", fmt.Errorf("listen on %s: %w", r.host, err)
	}
	file := os.NewFile(uintptr(r.fd), r.host)
	r.fd = -1
	defer file.Close() // the listener has a descriptor of its own
	listener, err := net.FileListener(file)
	if err != nil {
		return nil, "", fmt.Errorf("listen on %s: %w", r.host, err)
	}
	return listener.(*net.TCPListener), "", nil // what FileListener returns for a TCP socket
}

func (r *refusal) close() {
	r.look()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	if r.fd >= 0 {
		_ = unix.Close(r.fd)
		r.fd = -1
	}
}
