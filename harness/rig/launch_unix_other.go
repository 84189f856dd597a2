//go:build unix && !linux

package rig

import "syscall"

// dieWithParent does nothing where the system offers nothing for it.
func dieWithParent(*syscall.SysProcAttr) {}
