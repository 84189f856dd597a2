package peer

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// refusal is a port that is taken, and on which nobody listens: the kernel
// refuses who connects to it. It is taken, not merely free, so that nobody else
// gets it and it can be opened later. Its address is its own, too: that is what
// the kernel still tells of a connection that came to nothing.
type refusal struct {
	at    netip.AddrPort
	lost  *lost
	first chan struct{} // closed once somebody was refused

	mu       sync.Mutex
	fd       int
	over     bool
	refusals int
}

// ownAddresses is how often an address is tried before it is given up: each is
// one of sixteen million, so that it is taken is next to impossible.
const ownAddresses = 4

func newRefusal() (*refusal, error) {
	var all []error
	for range ownAddresses {
		r, err := takePort(netip.AddrFrom4([4]byte{127, 1 + byte(rand.N(254)), byte(rand.N(256)), 1 + byte(rand.N(254))}))
		if err == nil {
			return r, nil
		}
		all = append(all, err)
	}
	return nil, errors.Join(all...)
}

// takePort takes any port of the address, and makes sure that the kernel tells who
// is refused there: what nobody sees would prove nothing.
func takePort(ip netip.Addr) (*refusal, error) {
	watched, err := watchLost(ip)
	if err != nil {
		return nil, err
	}
	r := &refusal{fd: -1, lost: watched, first: make(chan struct{})}
	if err := r.take(ip); err != nil {
		watched.abandon()
		r.drop()
		return nil, fmt.Errorf("take a port of %s: %w", ip, err)
	}
	if err := watched.prove(r.at); err != nil {
		watched.abandon()
		r.drop()
		return nil, fmt.Errorf("see who is refused at %s: %w", r.at, err)
	}
	go watched.read(r.met)
	return r, nil
}

func (r *refusal) take(ip netip.Addr) (err error) {
	if r.fd, err = unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0); err != nil {
		return err
	}
	if err := unix.SetsockoptInt(r.fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1); err != nil {
		return err
	}
	if err := unix.Bind(r.fd, &unix.SockaddrInet4{Addr: ip.As4()}); err != nil {
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
	r.at = netip.AddrPortFrom(ip, uint16(at.Port))
	return nil
}

// drop gives the port back, unless a listener has it.
func (r *refusal) drop() {
	if r.fd >= 0 {
		_ = unix.Close(r.fd)
		r.fd = -1
	}
}

// met counts who was refused. Once the door is open, who leaves may have been let in.
func (r *refusal) met() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return
	}
	if r.refusals++; r.refusals == 1 {
		close(r.first)
	}
}

func (r *refusal) address() string { return r.at.String() }

func (r *refusal) many() bool { return false }

// look does nothing: the kernel tells by itself.
func (r *refusal) look() {}

// left returns nobody: who is refused does not wait.
func (r *refusal) left(bool) []wait { return nil }

// begun is when somebody was refused: a door that opens later has to have kept
// somebody out before.
func (r *refusal) begun() <-chan struct{} { return r.first }

func (r *refusal) knocks() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.refusals
}

func (r *refusal) open() (*net.TCPListener, string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	if err := unix.Listen(r.fd, queue); err != nil {
		return nil, "", fmt.Errorf("listen on %s: %w", r.at, err)
	}
	file := os.NewFile(uintptr(r.fd), r.at.String())
	r.fd = -1
	defer file.Close() // the listener has a descriptor of its own
	listener, err := net.FileListener(file)
	if err != nil {
		return nil, "", fmt.Errorf("listen on %s: %w", r.at, err)
	}
	return listener.(*net.TCPListener), "", nil // what FileListener returns for a TCP socket
}

func (r *refusal) close() {
	r.lost.close()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	r.drop()
}
