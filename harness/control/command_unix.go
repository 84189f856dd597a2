//go:build unix

package control

import (
	"os/exec"
	"syscall"
)

// inOwnGroup keeps a terminal's Ctrl-C, which is for us, away from the command.
func inOwnGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills the command with everything that it started: what a command
// left running could still act on the target after it was given up.
func killGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// handsOn: a process can give a file of its own to one that it starts.
const handsOn = true
