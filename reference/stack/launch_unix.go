//go:build unix

package stack

import (
	"os/exec"
	"syscall"
)

// inOwnGroup keeps a terminal's Ctrl-C away from the child, which the
// supervisor ends itself.
func inOwnGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
