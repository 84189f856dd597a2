//go:build unix && !linux

package stack

import "syscall"

// dieWithParent does nothing where the system does not offer it.
func dieWithParent(*syscall.SysProcAttr) {}

// awaitStop does nothing where the system does not tell.
func awaitStop(int) error { return nil }
