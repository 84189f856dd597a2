//go:build !unix

package rig

import "os/exec"

// inOwnGroup does nothing where there are no process groups.
func inOwnGroup(*exec.Cmd) {}

// killGroup kills the command itself.
func killGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }
