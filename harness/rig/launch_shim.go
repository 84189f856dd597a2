package rig

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os/exec"
	"sync"
	"time"

	"github.com/oncecheck/oncecheck/harness/profile"
)

// LaunchedShim is a shim that this process started and that ends with it.
type LaunchedShim struct {
	URL string

	cmd    *exec.Cmd
	stdin  io.Closer
	exited chan struct{}
}

// shimStops is how long a shim may take to end once its standard input is closed.
const shimStops = time.Second

// LaunchShim starts a command that serves a shim and prints its URL as the first
// line. What else it writes goes to log. A shim should end when its standard
// input does; one that does not is killed, with all that it started.
func LaunchShim(ctx context.Context, log io.Writer, argv ...string) (*LaunchedShim, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	failed := func(err error) (*LaunchedShim, error) {
		return nil, fmt.Errorf("launch the shim %s: %w", argv[0], err)
	}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return failed(err)
	}
	first, last := &firstLine{line: make(chan string, 1), rest: log}, &tail{max: 4 << 10}
	cmd.Stdout, cmd.Stderr = first, io.MultiWriter(last, log)
	cmd.WaitDelay = shimStops // for what it started and what keeps our pipes open
	inOwnGroup(cmd)
	if err := cmd.Start(); err != nil {
		return failed(err)
	}
	l := &LaunchedShim{cmd: cmd, stdin: stdin, exited: make(chan struct{})}
	var waited error
	go func() { waited = cmd.Wait(); close(l.exited) }()

	limit, cancel := context.WithTimeoutCause(ctx, launchLimit, fmt.Errorf("it printed no URL within %s", launchLimit))
	defer cancel()
	select {
	case l.URL = <-first.line:
		if err := shimURL(l.URL); err != nil {
			l.Stop()
			return failed(err)
		}
		return l, nil
	case <-l.exited:
		l.Stop()
		return failed(fmt.Errorf("it ended before it printed its URL: %w: %s", errors.Join(waited, first.problem()), last))
	case <-limit.Done():
		l.Stop()
		return failed(fmt.Errorf("%w: %s", context.Cause(limit), last))
	}
}

// shimURL refuses a first line that is not what a shim prints.
func shimURL(line string) error {
	u, err := url.Parse(line)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Port() == "" || !profile.IsLoopback(u.Hostname()) {
		return fmt.Errorf("its first line is %.100q, not the URL of a shim on this machine such as http://127.0.0.1:9005", line)
	}
	return nil
}

// Stop ends the shim.
func (l *LaunchedShim) Stop() {
	_ = l.stdin.Close() // closed already if it ended first
	timer := time.NewTimer(shimStops)
	defer timer.Stop()
	select {
	case <-l.exited:
	case <-timer.C:
	}
	_ = killGroup(l.cmd) // fails where nobody of it is left
	<-l.exited
}

// maxFirstLine bounds a URL.
const maxFirstLine = 4 << 10

// firstLine hands out the first line that is written to it, and passes on the
// rest.
type firstLine struct {
	line chan string
	rest io.Writer

	mu   sync.Mutex
	got  []byte
	done bool
}

func (f *firstLine) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.done {
		return f.rest.Write(p)
	}
	f.got = append(f.got, p...)
	line, rest, found := bytes.Cut(f.got, []byte("\n"))
	if !found && len(f.got) < maxFirstLine {
		return len(p), nil
	}
	f.done = true
	f.line <- string(bytes.TrimSpace(line))
	if len(rest) > 0 {
		_, _ = f.rest.Write(rest) // the log is not worth the shim's life
	}
	return len(p), nil
}

// problem says what was written in place of a line, or is nil.
func (f *firstLine) problem() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if text := bytes.TrimSpace(f.got); len(text) > 0 && !f.done {
		return fmt.Errorf("it wrote %.100q without an end of line", text)
	}
	return nil
}
