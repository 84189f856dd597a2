//go:build !linux

package peer

import (
	"errors"

	"github.com/oncecheck/oncecheck/harness"
)

// shutDoor has no such doors: what a full backlog does differs between systems,
// and nothing here tells who met it.
func shutDoor(harness.DoorKind) (shut, error) {
	return nil, errors.New("this operating system has no such door: judge it on Linux")
}
