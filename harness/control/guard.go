package control

import (
	"fmt"
	"io"
	"os/exec"
)

// guard is a process that undoes a change if we die. Nobody else could: what a
// command changed has no lease. It is a shell, which sends no requests: what a
// request changes, the target itself puts back after {{leaseMs}}.
type guard struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
}

// watchOver waits for a line of ours. If its input ends without one, we are gone.
const watchOver = `read -r _ || exec "$@" >/dev/null 2>&1`

// guard starts a guard that runs argv unless it is released. It needs a shell,
// as every Unix has one.
func (r runner) guard(argv []string) (*guard, error) {
	cmd := exec.Command("/bin/sh", append([]string{"-c", watchOver, "oncecheck-guard"}, argv...)...)
	cmd.Dir = r.dir
	inOwnGroup(cmd)
	stdin, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
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
