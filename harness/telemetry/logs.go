package telemetry

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// Logs reads a file of JSON lines, to which the target appends.
type Logs struct{ file string }

var _ harness.LogReader = (*Logs)(nil)

// NewLogs returns a reader of the file.
func NewLogs(file string) *Logs { return &Logs{file} }

// maxKept is how much of a line is kept in a history.
const maxKept = 64 << 10

// End implements [harness.LogReader].
func (l *Logs) End(context.Context) (int64, error) {
	info, err := os.Stat(l.file)
	if err != nil {
		return 0, fmt.Errorf("%w; correct observe.logs.file", err)
	}
	return info.Size(), nil
}

// Read implements [harness.LogReader]. A line that is still being written is left
// for the next reading.
func (l *Logs) Read(ctx context.Context, since int64) ([]harness.LogRecord, int64, error) {
	end, err := l.End(ctx)
	if err != nil {
		return nil, since, err
	}
	if end < since {
		since = 0
	}
	file, err := os.Open(l.file)
	if err != nil {
		return nil, since, fmt.Errorf("%w; correct observe.logs.file", err)
	}
	defer func() { _ = file.Close() }()
	if _, err := file.Seek(since, io.SeekStart); err != nil {
		return nil, since, fmt.Errorf("read %s from byte %d: %w", l.file, since, err)
	}
	var records []harness.LogRecord
	for lines := bufio.NewReader(file); ctx.Err() == nil; {
		line, err := lines.ReadString('\n')
		if errors.Is(err, io.EOF) {
			return records, since, nil
		}
		if err != nil {
			return records, since, fmt.Errorf("read %s at byte %d: %w", l.file, since, err)
		}
		since += int64(len(line))
		if line = strings.TrimSpace(line); line != "" {
			records = append(records, record(line))
		}
	}
	return records, since, context.Cause(ctx)
}

// record finds what is known in a line. The line is kept whole up to where it is
// cut, and a cut line is still searched for secrets as far as it goes.
func record(line string) harness.LogRecord {
	r := harness.LogRecord{Line: strings.ToValidUTF8(line[:min(len(line), maxKept)], "")}
	m, ok := members(line)
	if !ok {
		return r
	}
	r.Dependency, r.Outcome = m.text("dependency", "peerservice"), m.text("outcome")
	r.CorrelationID = m.text("correlationid", "xcorrelationid")
	r.Attempt = m.number("attempt", "attemptnumber")
	r.RequestID = m.text("requestid")
	r.FromState, r.ToState = m.text("fromstate", "from"), m.text("tostate", "to")
	r.Time = m.time("time", "timestamp", "ts")
	// Some exporters keep the ids of the parent beside those of the span's context.
	r.Trace, r.Span = m.text("spancontexttraceid", "traceid"), m.text("spancontextspanid", "spanid")
	r.Parent = m.text("parentspanid", "parentid")
	if strings.Trim(r.Parent, "0") == "" { // how some exporters say that there is none
		r.Parent = ""
	}
	r.Start, r.End = m.time("start", "starttime", "starttimeunixnano"), m.time("end", "endtime", "endtimeunixnano")
	r.Failed = m.failed()
	return r
}
