package harness

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Clock is the run's one monotonic base: all event times are distances from it.
type Clock struct{ base time.Time }

// NewClock starts a clock now.
func NewClock() Clock { return Clock{base: time.Now()} }

// Base returns the wall-clock time of the base.
func (c Clock) Base() time.Time { return c.base }

// Since returns the distance of t from the base, monotonic where t is.
func (c Clock) Since(t time.Time) time.Duration {
	if t.IsZero() {
		return 0
	}
	return t.Sub(c.base)
}

// HistoryFile returns where the history of a scenario lies in a run folder.
func HistoryFile(dir, scenario string) string {
	return filepath.Join(dir, "history", strings.ReplaceAll(scenario, "/", ".")+".jsonl")
}

// Recorder writes one history as JSON lines while the experiment runs, so that
// memory does not grow with it. The file carries its final name only once it
// is complete. Safe for concurrent use.
type Recorder struct {
	clock  Clock
	redact *Redactor
	final  string

	mu   sync.Mutex
	file *os.File
	buf  *bufio.Writer
	seq  int64
	err  error
}

// historyBuffer keeps a disk that is busy with other things out of the
// experiment: what most scenarios record is written when they are over.
const historyBuffer = 1 << 20

// NewRecorder creates the history file of header.Scenario below dir and writes
// the header.
func NewRecorder(dir string, header Header, clock Clock, redact *Redactor) (*Recorder, error) {
	final := HistoryFile(dir, header.Scenario)
	if err := os.MkdirAll(filepath.Dir(final), 0o755); err != nil {
		return nil, fmt.Errorf("make the history folder: %w", err)
	}
	file, err := os.Create(final + ".partial")
	if err != nil {
		return nil, fmt.Errorf("create the history of %s: %w", header.Scenario, err)
	}
	r := &Recorder{clock: clock, redact: redact, final: final, file: file, buf: bufio.NewWriterSize(file, historyBuffer)}
	header.Schema = HistorySchema
	r.write(header)
	return r, nil
}

// Append stamps the event with its place and, unless it brings one, its time,
// and returns that place.
func (r *Recorder) Append(e Event) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seq++
	e.Seq = r.seq
	if e.At == 0 {
		e.At = r.clock.Since(time.Now())
	}
	r.write(e)
	return e.Seq
}

func (r *Recorder) write(record any) {
	if r.err != nil {
		return
	}
	line, err := json.Marshal(record)
	if err == nil {
		_, err = r.buf.Write(append(r.redact.Line(line), '\n'))
	}
	r.err = err
}

// Close writes the end mark, makes the file durable and gives it its name. It
// returns the first error of the whole recording.
func (r *Recorder) Close() error {
	r.Append(Event{Type: MarkEvent, Mark: &Mark{Name: MarkEnd}})
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.buf.Flush(); r.err == nil {
		r.err = err
	}
	if err := r.file.Sync(); r.err == nil {
		r.err = err
	}
	if err := r.file.Close(); r.err == nil {
		r.err = err
	}
	if r.err != nil {
		return fmt.Errorf("record history %s: %w", r.final, r.err)
	}
	if err := os.Rename(r.final+".partial", r.final); err != nil {
		return fmt.Errorf("finish history: %w", err)
	}
	return nil
}
