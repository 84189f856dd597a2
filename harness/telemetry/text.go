package telemetry

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// LogText reads a log that is handed over whole each time, as the shim of a
// client does. Lines are those of [Logs].
type LogText struct {
	read func(context.Context) ([]byte, error)
}

var _ harness.LogReader = (*LogText)(nil)

// NewLogText returns a reader of what read returns: all that was logged so far.
func NewLogText(read func(context.Context) ([]byte, error)) *LogText { return &LogText{read} }

// End implements [harness.LogReader].
func (l *LogText) End(ctx context.Context) (int64, error) {
	text, err := l.text(ctx)
	return int64(len(text)), err
}

// Read implements [harness.LogReader]. A line that is still being written is left
// for the next reading.
func (l *LogText) Read(ctx context.Context, since int64) ([]harness.LogRecord, int64, error) {
	text, err := l.text(ctx)
	if err != nil {
		return nil, since, err
	}
	if int64(len(text)) < since {
		since = 0
	}
	var records []harness.LogRecord
	for rest := text[since:]; ; {
		line, after, found := bytes.Cut(rest, []byte("\n"))
		if !found {
			return records, since, nil
		}
		since += int64(len(line)) + 1
		rest = after
		if text := strings.TrimSpace(string(line)); text != "" {
			records = append(records, record(text))
		}
	}
}

func (l *LogText) text(ctx context.Context) ([]byte, error) {
	text, err := l.read(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the log: %w", err)
	}
	return text, nil
}
