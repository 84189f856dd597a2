package control

import (
	"fmt"
	"io"
	"os"
	"os/exec"
)

// guard is a process that undoes a change if we die. Nobody else could: what a
// command changed has no lease. It is a shell, which sends no requests: what a
// request changes, the target itself puts back after {{leaseMs}}.
//
// A command that still works when we die would act after the guard. So it holds
// the guard's input, too, where a process can hand on a file: the guard acts when
// both have ended.
type guard struct {
	cmd   *exec.Cmd
	stdin *os.File
}

// watchOver waits for a line of ours. If its input ends without one, we are gone.
const watchOver = `read -r _ || exec "$@" >/dev/null 2>&1`

// guard starts a guard that runs argv unless it is released. It needs a shell,
// as every Unix has one.
func (r runner) guard(argv []string) (*guard, error) {
	cmd := exec.Command("/bin/sh", append([]string{"-c", watchOver, "oncecheck-guard"}, argv...)...)
	cmd.Dir = r.dir
	inOwnGroup(cmd)
	input, stdin, err := os.Pipe()
	if err == nil {
		cmd.Stdin = input
		err = cmd.Start()
		_ = input.Close() // the guard has its own
		if err != nil {
			_ = stdin.Close()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("start a guard that puts it back if this process dies: %w; without one nothing is changed", err)
	}
	return &guard{cmd, stdin}, nil
}

// release ends the guard without its doing anything. A nil guard is released.
func (g *guard) release() {
	if g == nil {
		return
	}
	_, _ = io.WriteString(g.stdin, "\n") // fails only if somebody else ended it
	_ = g.stdin.Close()
	_ = g.cmd.Wait()
}

// watches hands a command the input of the guard. A nil guard watches nothing.
func (g *guard) watches(cmd *exec.Cmd) {
	if g != nil && handsOn {
		cmd.ExtraFiles = []*os.File{g.stdin}
	}
}
