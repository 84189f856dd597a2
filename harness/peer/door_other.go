//go:build !linux

package peer

import (
	"context"
	"errors"
	"net"

	"github.com/oncecheck/oncecheck/harness"
)

// shutDoor has no such doors: what a full backlog does differs between systems,
// and nothing here tells who met it.
func shutDoor(harness.Door) (shut, error) {
	return nil, errors.New("this operating system has no such door: judge it on Linux")
}

// listenMany fails: elsewhere this machine has one address of its own.
func listenMany(context.Context) (*net.TCPListener, error) {
	return nil, errors.New("this operating system has one loopback address")
}
