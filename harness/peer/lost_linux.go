package peer

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// lost tells of TCP sockets that called one address of this machine and are no
// more. A kernel tells nobody of a connection to a port where nobody listens; but
// the caller's socket is given up, and of that it tells whoever has joined these
// groups (linux/sock_diag.h), which needs no privilege. A socket is given up when
// its owner closes it, so of one who keeps it nothing is known.
type lost struct {
	file *os.File
	done chan struct{} // closed once nothing is read any more
}

const (
	groupTCP4 = 1 // SKNLGRP_INET_TCP_DESTROY
	groupTCP6 = 3 // SKNLGRP_INET6_TCP_DESTROY
)

// watchLost begins to watch the address.
func watchLost(ip netip.Addr) (*lost, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return nil, fmt.Errorf("watch for sockets that called %s: %w", ip, err)
	}
	filter := only(ip)
	err = errors.Join(
		unix.SetsockoptSockFprog(fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}),
		unix.Bind(fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK, Groups: 1<<(groupTCP4-1) | 1<<(groupTCP6-1)}))
	if err != nil {
		_ = unix.Close(fd)
		return nil, fmt.Errorf("watch for sockets that called %s: %w", ip, err)
	}
	return &lost{file: os.NewFile(uintptr(fd), "netlink"), done: make(chan struct{})}, nil
}

// only is a filter of the kernel's: of all sockets of this machine it lets those
// pass that called the address, by itself or mapped into IPv6. Without it a busy
// machine would tell more than can be read.
func only(ip netip.Addr) []unix.SockFilter {
	as4 := ip.As4()
	word := binary.BigEndian.Uint32(as4[:])
	const all = 0x7fffffff
	return []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: unix.SizeofNlMsghdr + toldTo},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: 2, K: word},
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: unix.SizeofNlMsghdr + toldTo + 12},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: word},
		{Code: unix.BPF_RET | unix.BPF_K, K: all},
		{Code: unix.BPF_RET | unix.BPF_K, K: 0},
	}
}

// proveIn is how long a kernel may take to tell of a socket that we gave up.
const proveIn = 2 * time.Second

// prove is refused at a port of the address, and waits until that is told.
func (l *lost) prove(at netip.AddrPort) error {
	conn, err := net.DialTimeout("tcp4", at.String(), proveIn)
	if err == nil {
		_ = conn.Close()
		return errors.New("a connection was let in")
	}
	if !errors.Is(err, syscall.ECONNREFUSED) {
		return err
	}
	if err := l.file.SetReadDeadline(time.Now().Add(proveIn)); err != nil {
		return err
	}
	if n, err := l.next(make([]byte, 4<<10)); n == 0 {
		return fmt.Errorf("this kernel does not tell of it: %w", err)
	}
	return l.file.SetReadDeadline(time.Time{})
}

// read calls met for each socket, until the watch is closed.
func (l *lost) read(met func()) {
	defer close(l.done)
	buf := make([]byte, 4<<10)
	for {
		n, err := l.next(buf)
		if err != nil {
			return
		}
		for range n {
			met()
		}
	}
}

// next returns how many sockets one message tells of, one at least.
func (l *lost) next(buf []byte) (int, error) {
	for {
		n, err := l.file.Read(buf)
		if errors.Is(err, unix.ENOBUFS) {
			continue // some were missed: they stay unproven
		}
		if err != nil {
			return 0, err
		}
		messages, err := syscall.ParseNetlinkMessage(buf[:n])
		if err != nil {
			return 0, err
		}
		sockets := 0
		for _, m := range messages {
			if m.Header.Type == unix.SOCK_DIAG_BY_FAMILY && len(m.Data) >= toldSize {
				sockets++
			}
		}
		if sockets > 0 {
			return sockets, nil
		}
	}
}

// abandon ends a watch from which nothing was read.
func (l *lost) abandon() { _ = l.file.Close() }

// close ends the watch. It may be called again.
func (l *lost) close() {
	_ = l.file.Close()
	<-l.done
}
