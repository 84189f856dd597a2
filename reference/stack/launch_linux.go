package stack

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// dieWithParent has the system kill the child when the thread that started it
// ends, which is as late as the supervisor does: a paused child would not notice
// by itself that its standard input ended.
func dieWithParent(attributes *syscall.SysProcAttr) { attributes.Pdeathsig = syscall.SIGKILL }

// awaitStop returns once every thread of the child stands still, or it has ended.
// It takes nothing from whoever waits for the end.
func awaitStop(pid int) error {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WSTOPPED|unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
