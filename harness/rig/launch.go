package rig

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Launched is a target that this process started and that ends with it.
type Launched struct {
	Profile string // path of the profile that it wrote
	stop    func() error
}

// launchLimit bounds how long a launched target may take until it accepts.
const launchLimit = 30 * time.Second

// Launch starts a command that serves a target and writes its profile, complete
// and by rename, to the file that replaces the argument "{profile}". The command
// must end when its standard input closes, so that it cannot outlive us.
func Launch(ctx context.Context, argv ...string) (*Launched, error) {
	dir, err := os.MkdirTemp("", "oncecheck-launch-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the launched target: %w", err)
	}
	path := filepath.Join(dir, "profile.yaml")
	args := make([]string, len(argv))
	for i, a := range argv {
		args[i] = strings.ReplaceAll(a, "{profile}", path)
	}
	cmd := exec.Command(args[0], args[1:]...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("launch %s: %w", args[0], err)
	}
	last := &tail{max: 4 << 10}
	cmd.Stdout, cmd.Stderr = last, last
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("launch %s: %w", args[0], err), os.RemoveAll(dir))
	}
	exited := make(chan struct{})
	var waitErr error
	go func() { waitErr = cmd.Wait(); close(exited) }()
	l := &Launched{Profile: path, stop: func() error { return end(cmd, stdin, exited, dir) }}

	limit, cancel := context.WithTimeout(ctx, launchLimit)
	defer cancel()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		if _, err := os.Stat(path); err == nil {
			return l, nil
		}
		select {
		case <-exited:
			return nil, errors.Join(fmt.Errorf("launch %s: it ended before it was ready: %w: %s", args[0], waitErr, last), l.Stop())
		case <-limit.Done():
			return nil, errors.Join(fmt.Errorf("launch %s: not ready after %s: %s", args[0], launchLimit, last), l.Stop())
		case <-ticker.C:
		}
	}
}

// Stop ends the launched target and removes what it left.
func (l *Launched) Stop() error { return l.stop() }

// end closes the command's input, waits, and kills it if that is not enough.
func end(cmd *exec.Cmd, stdin io.Closer, exited <-chan struct{}, dir string) error {
	_ = stdin.Close() // already closed if the command ended first
	timer := time.NewTimer(10 * time.Second)
	defer timer.Stop()
	select {
	case <-exited:
	case <-timer.C:
		_ = cmd.Process.Kill() // by the id we started
		<-exited
	}
	return os.RemoveAll(dir)
}

// tail keeps the last bytes written to it, for the error of a failed launch.
type tail struct {
	mu   sync.Mutex
	data []byte
	max  int
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, p...)
	if extra := len(t.data) - t.max; extra > 0 {
		t.data = t.data[extra:]
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.TrimSpace(t.data))
}
