//go:build linux || darwin

package main

import (
	"fmt"
	"syscall"

	"github.com/oncecheck/oncecheck/harness"
)

// enoughFiles refuses a plan that needs more sockets than this process may hold.
// Go's runtime has raised the limit to the hard one already; only its owner can
// raise that.
func enoughFiles(c harness.Catalogue, selected func(harness.NFR) bool) error {
	needed := filesNeeded(c, selected)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return refuse(fmt.Errorf("ask how many files may be open: %w", err), "")
	}
	if limit.Cur < uint64(needed) {
		return refuse(fmt.Errorf("%d files and sockets may be open, and the plan needs %d", limit.Cur, needed), fmt.Sprintf("raise the hard limit: ulimit -Hn %d", needed))
	}
	return nil
}
