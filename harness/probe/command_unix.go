//go:build unix

package probe

import (
	"os/exec"
	"syscall"
)

// inOwnGroup makes the end of the command's context end everything that it
// started: a program killed alone would leave its children with our pipes.
func inOwnGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
