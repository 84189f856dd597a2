package control

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// runner runs commands in a folder.
type runner struct {
	dir     string
	watcher *guard // over what the commands do; nil for none
}

// under returns a runner whose commands the guard watches over.
func (r runner) under(g *guard) runner { return runner{r.dir, g} }

// do runs a command that acts. What it leaves running, a server perhaps, lives
// on: it gets no pipe of ours that would break when we read no more.
func (r runner) do(ctx context.Context, argv []string) error {
	_, err := r.run(ctx, argv, nil)
	return err
}

// read runs a command that tells something and returns what it printed.
func (r runner) read(ctx context.Context, argv []string) (string, error) {
	out := &bounded{max: maxAnswer}
	_, err := r.run(ctx, argv, out)
	switch {
	case err != nil:
		return "", err
	case out.more:
		return "", fmt.Errorf("the command %s printed more than %d KiB", filepath.Base(argv[0]), maxAnswer>>10)
	}
	return strings.TrimSpace(string(out.kept)), nil
}

// run returns what the command complained about. If ctx ends first, the command
// is killed with everything that it started. Arguments may hold credentials, so
// errors name the program only.
func (r runner) run(ctx context.Context, argv []string, out io.Writer) (said string, err error) {
	program := filepath.Base(argv[0])
	complaints, err := os.CreateTemp("", "oncecheck-command-")
	if err != nil {
		return "", fmt.Errorf("make a file for what the command %s says: %w", program, err)
	}
	defer func() {
		_ = complaints.Close()
		_ = os.Remove(complaints.Name())
	}()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = r.dir, out, complaints
	cmd.WaitDelay = time.Second // for one that left the group and keeps our pipe open
	cmd.Cancel = func() error { return killGroup(cmd) }
	inOwnGroup(cmd)
	r.watcher.watches(cmd)
	err = cmd.Run()
	said = lastLine(complaints)
	if cause := context.Cause(ctx); cause != nil {
		return said, fmt.Errorf("the command %s was killed with all that it started: %w%s", program, cause, quoted(said))
	}
	if errors.Is(err, exec.ErrNotFound) {
		return said, fmt.Errorf("the command %s was not found: a name without a slash is looked up in PATH; a file beside the profile is ./%s", program, program)
	}
	if err != nil {
		return said, fmt.Errorf("the command %s failed: %w%s", program, err, quoted(said))
	}
	return said, nil
}

// lastLine returns the end of a file, at most 200 bytes of its last line.
func lastLine(file *os.File) string {
	const max = 4 << 10
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return ""
	}
	tail := make([]byte, min(size, max))
	n, err := file.ReadAt(tail, size-int64(len(tail)))
	if err != nil && !errors.Is(err, io.EOF) {
		return ""
	}
	text := strings.TrimSpace(string(tail[:n]))
	text = strings.TrimSpace(text[strings.LastIndexAny(text, "\r\n")+1:])
	return strings.ToValidUTF8(text[:min(len(text), 200)], "…")
}

func quoted(said string) string {
	if said == "" {
		return "; it wrote nothing to its standard error"
	}
	return "; it last wrote: " + said
}

// bounded keeps the first max bytes written to it. It embeds no buffer, whose
// ReadFrom would let everything in.
type bounded struct {
	kept []byte
	max  int
	more bool
}

func (b *bounded) Write(p []byte) (int, error) {
	room := min(b.max-len(b.kept), len(p))
	b.kept = append(b.kept, p[:room]...)
	b.more = b.more || room < len(p)
	return len(p), nil // the command is not to die of us
}
