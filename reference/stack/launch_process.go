package stack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// process is a running child.
type process struct {
	cmd     *exec.Cmd
	stdin   io.Closer
	admin   string // host:port of its admin listener
	started time.Time
	exited  chan struct{}
	err     error // of Wait; read it after exited is closed
}

// launch starts a child that serves socket and returns once it is ready. The
// configuration, which holds the signing secret, goes through standard input:
// arguments and environment can be read by other processes.
func launch(ctx context.Context, command []string, socket *os.File, cfg InstanceConfig, within time.Duration, logged io.Writer) (*process, error) {
	document, err := json.Marshal(cfg)
	if err != nil {
		return nil, fmt.Errorf("encode the configuration: %w", err)
	}
	// No CommandContext: a child is stopped in order or killed, never both at
	// the moment some context ends.
	cmd := exec.Command(command[0], command[1:]...)
	first, last := newFirstLine(logged), newLastLines(logged)
	cmd.Stdout, cmd.Stderr = first, last
	cmd.ExtraFiles = []*os.File{socket}
	cmd.WaitDelay = time.Second // for a grandchild that keeps our pipes open
	inOwnGroup(cmd)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("open a pipe to the instance: %w", err)
	}
	if err := cmd.Start(); err != nil {
		_ = stdin.Close()
		return nil, fmt.Errorf("run %q: %w", command[0], err)
	}
	p := &process{cmd: cmd, stdin: stdin, started: time.Now(), exited: make(chan struct{})}
	go func() {
		p.err = cmd.Wait()
		close(p.exited)
	}()
	// A child that is gone before it reads fails this write, but how it ended
	// says more than a broken pipe. The document fits the pipe: no blocking.
	_, _ = stdin.Write(document)

	limit := time.NewTimer(within)
	defer limit.Stop()
	select {
	case line := <-first.line:
		if p.admin, err = parseReady(line, cfg.Addr); err != nil {
			p.kill()
			return nil, err
		}
		return p, nil
	case <-p.exited:
		return nil, fmt.Errorf("the process ended before it was ready: %w%s", p.reason(), last)
	case <-limit.C:
		p.kill()
		return nil, fmt.Errorf("the process was not ready within %v%s", within, last)
	case <-ctx.Done():
		p.kill()
		return nil, ctx.Err()
	}
}

// parseReady reads the line "ready ADDR ADMINADDR".
func parseReady(line, addr string) (admin string, err error) {
	fields := strings.Fields(line)
	if len(fields) != 3 || fields[0] != "ready" {
		return "", fmt.Errorf("the process wrote %q first, not \"ready ADDR ADMINADDR\": is the command one that calls RunChild?", line)
	}
	if fields[1] != addr {
		return "", fmt.Errorf("the process serves %s, not the socket of %s that it was given", fields[1], addr)
	}
	return fields[2], nil
}

func (p *process) pid() int { return p.cmd.Process.Pid }

// signalKill sends SIGKILL and does not wait.
func (p *process) signalKill() { _ = p.cmd.Process.Kill() } // fails only if it has ended

// kill ends the process without warning and waits until it is gone.
func (p *process) kill() {
	p.signalKill()
	<-p.exited
}

// stop asks the process to end by closing its standard input, and kills it if
// it takes longer than within.
func (p *process) stop(within time.Duration) {
	_ = p.stdin.Close()
	limit := time.NewTimer(within)
	defer limit.Stop()
	select {
	case <-p.exited:
	case <-limit.C:
		p.kill()
	}
}

// reason says how an ended process ended.
func (p *process) reason() error {
	if p.err == nil {
		return errors.New("exit status 0")
	}
	return p.err
}
