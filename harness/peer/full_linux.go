package peer

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// full is a listener whose queue is full: the kernel drops who connects to it
// until there is room. The queue holds one connection, which is ours.
type full struct {
	listener *net.TCPListener
	wide     bool           // it is at all of this machine's own addresses
	to       netip.AddrPort // what callers call, any address if it is wide
	parked   net.Conn

	mu    sync.Mutex
	over  bool
	met   int                  // full queues that connections on this machine had met when it was looked last
	here  map[string]time.Time // who waited when it was looked last, and since when
	gone  []wait               // who was missed since it was asked last; nil unless somebody asks
	asked bool
	seen  int // how many were seen to wait
}

func newFull(told bool) (*full, error) {
	f := &full{here: map[string]time.Time{}}
	var err error
	if told {
		f.listener, err = listenMany(context.Background())
		f.wide = err == nil
	}
	if !f.wide {
		if f.listener, err = listen(context.Background(), loopback); err != nil {
			return nil, err
		}
	}
	f.to = f.listener.Addr().(*net.TCPAddr).AddrPort()
	if err := f.fill(); err != nil {
		_ = f.listener.Close()
		return nil, fmt.Errorf("fill the queue of %s: %w", f.address(), err)
	}
	return f, nil
}

func (f *full) fill() error {
	// What is needed later to see callers is tried before there is one.
	if _, err := waiting(f.to); err != nil {
		return err
	}
	met, err := overflows().read()
	if err != nil {
		return err
	}
	f.met = met
	if err := f.backlog(0); err != nil {
		return err
	}
	f.parked, err = net.Dial("tcp", f.address())
	return err
}

// backlog sets the length of the queue, which a listener may do at any time.
func (f *full) backlog(n int) error {
	raw, err := f.listener.SyscallConn()
	if err != nil {
		return err
	}
	if ctl := raw.Control(func(fd uintptr) { err = unix.Listen(int(fd), n) }); ctl != nil {
		return ctl
	}
	return err
}

func (f *full) address() string { return fmt.Sprintf("127.0.0.1:%d", f.to.Port()) }

func (f *full) many() bool { return f.wide }

// look notes whose connection waits for an answer now. To list them takes the
// kernel milliseconds, to say whether there can be new ones next to nothing.
func (f *full) look() {
	f.mu.Lock()
	defer f.mu.Unlock()
	met, err := overflows().read()
	if f.over || err != nil || met == f.met && (!f.asked || len(f.here) == 0) {
		return
	}
	f.met = met
	who, err := waiting(f.to)
	if err != nil {
		return // the kernel answered when the door was made; should it not now, the fault stays unproven
	}
	now, here := time.Now(), make(map[string]time.Time, len(who))
	for _, one := range who {
		since, known := f.here[one]
		if !known {
			f.seen++
			since = now
		}
		here[one] = since
		delete(f.here, one)
	}
	if f.asked {
		for one, since := range f.here {
			f.gone = append(f.gone, f.waited(one, since, now))
		}
	}
	f.here = here
}

func (f *full) waited(one string, since, until time.Time) wait {
	w := wait{from: since, to: until}
	if f.wide {
		w.at = called(one)
	}
	return w
}

func (f *full) left(end bool) []wait {
	f.mu.Lock()
	defer f.mu.Unlock()
	gone := f.gone
	f.gone, f.asked = nil, true
	if end {
		now := time.Now()
		for one, since := range f.here {
			gone = append(gone, f.waited(one, since, now))
		}
		clear(f.here)
	}
	return gone
}

func (f *full) knocks() int {
	f.look()
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.seen
}

// begun is at once: a queue that drains before anybody came was full all the same.
func (f *full) begun() <-chan struct{} {
	now := make(chan struct{})
	close(now)
	return now
}

func (f *full) open() (*net.TCPListener, string, error) {
	f.look()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.over = true
	if err := f.backlog(queue); err != nil {
		return nil, "", fmt.Errorf("make room in the queue of %s: %w", f.address(), err)
	}
	skip := f.parked.LocalAddr().String()
	_ = f.parked.Close()
	return f.listener, skip, nil
}

func (f *full) close() {
	f.look()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.over = true
	_ = f.parked.Close()
	_ = f.listener.Close()
}
