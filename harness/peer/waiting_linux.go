package peer

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// Where the parts of a question and of an answer of the kernel lie
// (linux/inet_diag.h): struct inet_diag_req_v2 and struct inet_diag_msg.
const (
	askSize  = 56
	askState = 4  // states to list, one bit each
	askPort  = 10 // the remote one; 0 is any
	told     = 4  // inet_diag_sockid of an answer: ports, then addresses of 16 bytes
	toldTo   = told + 20
	toldIno  = told + 64 // the socket's number, which no later one has for long
	toldSize = told + 68
)

// synSent is the state of a socket that asked for a connection and got no answer
// yet (TCP_SYN_SENT).
const synSent = 2

// waiting returns who on this machine waits for a connection to the address, or to
// that port of any of this machine's own addresses if it is none in particular. The
// kernel is asked by netlink, and gives away no others: the list in /proc/net/tcp
// has all sockets of the machine, which takes too long to read again and again.
func waiting(to netip.AddrPort) ([]string, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return nil, fmt.Errorf("ask the kernel who waits for %s: %w", to, err)
	}
	defer unix.Close(fd)
	// The kernel writes an answer while it is read, so none can be late; the limit
	// holds should that change.
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Sec: 1}); err != nil {
		return nil, fmt.Errorf("ask the kernel who waits for %s: %w", to, err)
	}
	var who []string
	for _, family := range []byte{unix.AF_INET, unix.AF_INET6} { // an IPv6 socket may call the mapped address
		found, err := list(fd, family, to)
		if err != nil {
			return nil, fmt.Errorf("ask the kernel who waits for %s: %w", to, err)
		}
		who = append(who, found...)
	}
	return who, nil
}

func list(fd int, family byte, to netip.AddrPort) ([]string, error) {
	ask := make([]byte, unix.SizeofNlMsghdr+askSize)
	binary.NativeEndian.PutUint32(ask, uint32(len(ask)))
	binary.NativeEndian.PutUint16(ask[4:], unix.SOCK_DIAG_BY_FAMILY)
	binary.NativeEndian.PutUint16(ask[6:], unix.NLM_F_REQUEST|unix.NLM_F_DUMP)
	body := ask[unix.SizeofNlMsghdr:]
	body[0], body[1] = family, unix.IPPROTO_TCP
	binary.NativeEndian.PutUint32(body[askState:], 1<<synSent)
	binary.BigEndian.PutUint16(body[askPort:], to.Port())
	if err := unix.Sendto(fd, ask, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return nil, err
	}
	var who []string
	buf := make([]byte, 64<<10)
	for {
		n, _, err := unix.Recvfrom(fd, buf, 0)
		if err != nil {
			return nil, err
		}
		messages, err := syscall.ParseNetlinkMessage(buf[:n])
		if err != nil {
			return nil, err
		}
		for _, m := range messages {
			switch {
			case m.Header.Type == unix.NLMSG_DONE:
				return who, nil
			case m.Header.Type == unix.NLMSG_ERROR && len(m.Data) >= 4:
				return nil, unix.Errno(-int32(binary.NativeEndian.Uint32(m.Data)))
			case len(m.Data) >= toldSize && calls(m.Data, to.Addr()):
				who = append(who, string(slices.Concat(m.Data[:1], m.Data[told:toldTo+16], m.Data[toldIno:toldSize])))
			}
		}
	}
}

// calls reports whether the socket of an answer calls that IPv4 address, by
// itself or mapped into IPv6.
func calls(socket []byte, ip netip.Addr) bool {
	to := remote(socket[0], socket[toldTo:toldTo+16])
	return to == ip || ip.IsUnspecified() && to.IsLoopback() && to.Is4()
}

// remote returns the address that a socket of that family calls.
func remote(family byte, address []byte) netip.Addr {
	if family == unix.AF_INET6 {
		return netip.AddrFrom16([16]byte(address)).Unmap()
	}
	return netip.AddrFrom4([4]byte(address[:4]))
}

// called returns the address that somebody who waits has called.
func called(one string) string {
	return remote(one[0], []byte(one[1+toldTo-told:][:16])).String()
}
