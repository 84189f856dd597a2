//go:build unix

package stack

import (
	"fmt"
	"os/exec"
	"syscall"
)

// inOwnGroup keeps a terminal's Ctrl-C away from the child, which the
// supervisor ends itself. It also lets a paused child end with a supervisor that
// was killed: a group of stopped processes that loses its last parent in another
// group is sent a hangup and woken. Where the parent's successor is in our
// session that does not hold, so [dieWithParent] adds to it where it can.
func inOwnGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithParent(cmd.SysProcAttr)
}

// signalPause stops the process, whose connections stay open. On a busy machine
// it may run on for a while after the signal was sent.
func (p *process) signalPause() error {
	err := p.cmd.Process.Signal(syscall.SIGSTOP)
	if err == nil {
		err = awaitStop(p.pid())
	}
	if err != nil {
		return fmt.Errorf("stop process %d: %w", p.pid(), err)
	}
	return nil
}

// signalResume lets a stopped process go on. It fails only if it has ended.
func (p *process) signalResume() { _ = p.cmd.Process.Signal(syscall.SIGCONT) }
