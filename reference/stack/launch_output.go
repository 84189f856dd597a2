package stack

import (
	"bytes"
	"io"
	"strings"
	"sync"
)

// firstLine hands over the first line written to it, once, and passes the rest
// on. It is written to by one goroutine.
type firstLine struct {
	line chan string // buffered: nobody needs to wait for it
	got  bool
	head []byte
	rest io.Writer
}

// maxFirstLine bounds what a child that never ends its line may cost.
const maxFirstLine = 4 << 10

func newFirstLine(rest io.Writer) *firstLine {
	return &firstLine{line: make(chan string, 1), rest: rest}
}

func (w *firstLine) Write(p []byte) (int, error) {
	if w.got {
		return w.rest.Write(p)
	}
	w.head = append(w.head, p...)
	line, rest, found := bytes.Cut(w.head, []byte("\n"))
	if !found && len(w.head) < maxFirstLine {
		return len(p), nil
	}
	w.got, w.head = true, nil
	w.line <- string(line[:min(len(line), maxFirstLine)])
	_, err := w.rest.Write(rest)
	return len(p), err
}

// lastLines passes on what is written to it and remembers the end, for the
// error that tells why a child did not start.
type lastLines struct {
	to io.Writer

	mu   sync.Mutex
	tail []byte
}

const (
	maxTail      = 4 << 10
	maxTailLines = 8
)

func newLastLines(to io.Writer) *lastLines { return &lastLines{to: to} }

func (w *lastLines) Write(p []byte) (int, error) {
	w.mu.Lock()
	w.tail = append(w.tail, p...)
	w.tail = w.tail[max(0, len(w.tail)-maxTail):]
	w.mu.Unlock()
	return w.to.Write(p)
}

// String returns the last lines as the end of an error message.
func (w *lastLines) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := strings.TrimSpace(string(w.tail))
	if text == "" {
		return "; it wrote nothing to standard error"
	}
	lines := strings.Split(text, "\n")
	return "; it last wrote:\n" + strings.Join(lines[max(0, len(lines)-maxTailLines):], "\n")
}
