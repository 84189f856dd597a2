//go:build !unix

package stack

import (
	"errors"
	"os/exec"
)

// inOwnGroup does nothing where process groups are not known.
func inOwnGroup(*exec.Cmd) {}

// signalPause refuses: there is no signal that stops a process here.
func (p *process) signalPause() error {
	return errors.New("this system has no signal that stops a process; pause works on Unix only")
}

// signalResume is never needed, since nothing was stopped.
func (p *process) signalResume() {}
