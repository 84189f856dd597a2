//go:build unix

package rig

import (
	"os/exec"
	"syscall"
)

// inOwnGroup keeps a terminal's Ctrl-C away from the command: the run is ended
// first, and needs it until then.
func inOwnGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithParent(cmd.SysProcAttr)
}

// killGroup kills the command with everything that it started.
func killGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
