package peer

import (
	"fmt"
	"net"

	"golang.org/x/sys/unix"
)

// unsent returns how many bytes the peer's kernel has not acknowledged yet.
func unsent(conn *net.TCPConn) (n int, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, fmt.Errorf("look into a send queue: %w", err)
	}
	if ctl := raw.Control(func(fd uintptr) { n, err = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_NWRITE) }); ctl != nil {
		err = ctl
	}
	if err != nil {
		return 0, fmt.Errorf("look into a send queue: %w", err)
	}
	return n, nil
}
