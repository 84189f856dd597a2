package peer

import (
	"context"
	"net"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/oncecheck/oncecheck/harness"
)

// shutDoor returns a door of that kind, shut.
func shutDoor(door harness.Door) (shut, error) {
	if door.Kind == harness.DoorFull {
		return newFull(door.Told)
	}
	return newRefusal()
}

// listenMany listens at all addresses that are this machine's alone, and at no
// other: whoever comes from outside comes by another device. Kernels before 5.7
// let only root do that.
func listenMany(ctx context.Context) (*net.TCPListener, error) {
	onlyLoopback := func(_, _ string, raw syscall.RawConn) (err error) {
		if ctl := raw.Control(func(fd uintptr) { err = unix.BindToDevice(int(fd), "lo") }); ctl != nil {
			return ctl
		}
		return err
	}
	listener, err := (&net.ListenConfig{KeepAlive: -1, Control: onlyLoopback}).Listen(ctx, "tcp4", "0.0.0.0:0")
	if err != nil {
		return nil, err
	}
	return listener.(*net.TCPListener), nil // what Listen returns for tcp
}

// queue is how many connections wait to be accepted once a door is open; the
// kernel takes its own limit if that is lower.
const queue = 4096
