package probe

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// CommandProbe reads a ledger from what a program prints. It is safe for
// concurrent use: each read is a process of its own.
type CommandProbe struct{ commandSource }

// commandSource is what a program prints.
type commandSource struct {
	form
	argv []string
	dir  string
}

var _ harness.Probe = (*CommandProbe)(nil)

// Command returns a probe that runs argv in the folder dir, or in ours if dir
// is empty. In the arguments, {{since}} is replaced by the last sequence number
// already seen. The program prints one JSON object a line, with the members of
// [HTTP], and exits with status 0; printing nothing means that there is no
// entry. Without {{since}} it prints the whole ledger each time.
func Command(argv []string, dir string) (*CommandProbe, error) {
	from, err := byCommand(ledger(), argv, dir)
	if err != nil {
		return nil, err
	}
	return &CommandProbe{from}, nil
}

func byCommand(f form, argv []string, dir string) (commandSource, error) {
	if len(argv) == 0 || argv[0] == "" {
		return commandSource{}, fmt.Errorf("probe %s: %s.command names no program", f.key, f.key)
	}
	return commandSource{form: f, argv: slices.Clone(argv), dir: dir}, nil
}

// Effects implements [harness.Probe]. One read takes at most 5 s and 32 MiB of
// output; after that the program is killed with all that it started.
func (p *CommandProbe) Effects(ctx context.Context, after int64) ([]harness.Effect, error) {
	return gather(ctx, p.commandSource, effects(), after)
}

func (p commandSource) fresh() bool { return slices.ContainsFunc(p.argv[1:], sinceName.MatchString) }

func (p commandSource) read(ctx context.Context, after int64, found sink) error {
	ctx, cancel := context.WithTimeoutCause(ctx, readLimit, fmt.Errorf("it took longer than %v and was killed", readLimit))
	defer cancel()
	program := filepath.Base(p.argv[0])
	printed, err := p.run(ctx, after)
	if err != nil {
		return fmt.Errorf("read %s by the command %s: %w", p.name, program, err)
	}
	if err := parse(printed, found); err != nil {
		return fmt.Errorf("understand what the command %s printed: %w", program, err)
	}
	return nil
}

func (p commandSource) run(ctx context.Context, after int64) ([]byte, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	args := slices.Clone(p.argv[1:])
	for i := range args {
		args[i] = fillSince(args[i], after)
	}
	out := &bounded{max: maxBody, over: func() {
		stop(fmt.Errorf("it printed more than %d MiB and was killed; use {{since}} so that only new entries are printed", maxBody>>20))
	}}
	said := &lastLine{}
	cmd := exec.CommandContext(ctx, p.argv[0], args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = p.dir, out, said
	cmd.WaitDelay = time.Second // for one that left the group and keeps our pipes open
	inOwnGroup(cmd)
	err := cmd.Run()
	if cause := context.Cause(ctx); cause != nil {
		return nil, fmt.Errorf("%w%s", cause, said)
	}
	if err != nil && cmd.ProcessState == nil {
		return nil, fmt.Errorf("it could not be started: %w; a relative path begins at the profile's folder", err)
	}
	if err != nil {
		return nil, fmt.Errorf("%w%s", err, said)
	}
	return out.data, nil
}

// parse reads one entry a line.
func parse(printed []byte, found sink) error {
	n := 0
	for line := range bytes.Lines(printed) {
		n++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		decoder := json.NewDecoder(bytes.NewReader(line))
		decoder.UseNumber()
		var object map[string]any
		err := decoder.Decode(&object)
		if _, more := decoder.Token(); err == nil && !errors.Is(more, io.EOF) {
			err = errors.New("more follows the first value")
		}
		if err == nil && object == nil {
			err = errors.New("it is null")
		}
		if err != nil {
			return fmt.Errorf("line %d is not one JSON object, which each line has to be: %w", n, err)
		}
		if err := found.add(object); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	return found.finish()
}

// bounded keeps what is written to it and calls over once it is more than max
// bytes.
type bounded struct {
	data []byte
	max  int
	over func()
}

func (b *bounded) Write(p []byte) (int, error) {
	if len(b.data)+len(p) > b.max {
		b.over()
		return len(p), nil // the kill ends it, not a broken pipe
	}
	b.data = append(b.data, p...)
	return len(p), nil
}

// lastLine remembers the end of what a program complained about.
type lastLine struct {
	mu   sync.Mutex // a write may still be going on once the program was given up
	data []byte
}

const maxComplaint = 4 << 10

func (l *lastLine) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.data = append(l.data, p...)
	if extra := len(l.data) - maxComplaint; extra > 0 {
		l.data = l.data[extra:]
	}
	return len(p), nil
}

// String returns what goes behind an error: the last line that is not empty, at
// most 200 bytes of it.
func (l *lastLine) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := strings.TrimSpace(string(l.data))
	if text == "" {
		return "; it wrote nothing to its standard error"
	}
	text = strings.TrimSpace(text[strings.LastIndexAny(text, "\r\n")+1:])
	return "; it last wrote: " + strings.ToValidUTF8(text[:min(len(text), 200)], "…")
}
