//go:build !unix

package control

import "os/exec"

// inOwnGroup does nothing where process groups are not known.
func inOwnGroup(*exec.Cmd) {}

// killGroup kills the command alone.
func killGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }

// handsOn: no file can be given to a process that is started.
const handsOn = false
