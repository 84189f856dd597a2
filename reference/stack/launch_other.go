//go:build !unix

package stack

import "os/exec"

// inOwnGroup does nothing where process groups are not known.
func inOwnGroup(*exec.Cmd) {}
