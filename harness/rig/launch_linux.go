package rig

import "syscall"

// dieWithParent has the system kill the command when we die without a chance to:
// a shim need not notice that its standard input ended.
func dieWithParent(attributes *syscall.SysProcAttr) { attributes.Pdeathsig = syscall.SIGKILL }
