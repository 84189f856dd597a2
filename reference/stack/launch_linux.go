package stack

import "syscall"

// dieWithParent has the system kill the child when the thread that started it
// ends, which is as late as the supervisor does: a paused child would not notice
// by itself that its standard input ended.
func dieWithParent(attributes *syscall.SysProcAttr) { attributes.Pdeathsig = syscall.SIGKILL }
