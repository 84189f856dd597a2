package harness

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// ReadMetrics reads what the target measured so far and records it for the case.
// Of the text only lines are kept that hold a secret of the run: all others say
// nothing that the values do not.
func (s *Session) ReadMetrics(ctx context.Context, c *Case) error {
	if s.target.Observe.Metrics == nil {
		return s.notOffered("read the target's metrics", "observe.metrics")
	}
	m, err := s.target.Observe.Metrics.Metrics(ctx)
	if err != nil {
		return s.unproven(fmt.Errorf("read the target's metrics: %w", err))
	}
	count := map[string]int64{"lines": int64(strings.Count(m.Text, "\n"))}
	maps.Copy(count, m.Values)
	s.Note(c, MarkMetrics, strings.Join(s.telling(strings.Split(m.Text, "\n")), "\n"), count)
	return nil
}

// telling returns the lines that hold a secret of the run, each once and not too
// many of them.
func (s *Session) telling(lines []string) []string {
	var found []string
	for _, line := range lines {
		if s.secretive(line) && len(found) < 20 {
			found = append(found, short256(line))
		}
	}
	return found
}

// secretive reports whether the text holds a secret of the run.
func (s *Session) secretive(text string) bool { return s.rec.redact.String(text) != text }

// short256 bounds what a mark quotes.
func short256(line string) string { return strings.ToValidUTF8(line[:min(len(line), 256)], "") }

// LogReading is a reading of the target's log, from a moment on.
type LogReading struct {
	s    *Session
	from int64
}

// WatchLogs begins to read the target's log: what was written before is nobody's
// business.
func (s *Session) WatchLogs(ctx context.Context) (*LogReading, error) {
	if s.target.Observe.Logs == nil {
		return nil, s.notOffered("read the target's log", "observe.logs")
	}
	from, err := s.target.Observe.Logs.End(ctx)
	if err != nil {
		return nil, s.unproven(fmt.Errorf("read the target's log: %w", err))
	}
	return &LogReading{s, from}, nil
}

const (
	logQuiet = 300 * time.Millisecond // without a record that is ours: the target has written all of them
	logLimit = 3 * time.Second
	logTick  = 50 * time.Millisecond
)

// Read records, once the log is quiet, what it tells of the cases: the records
// that carry the correlation id of one of their calls or name one of their
// requests, the spans of the same traces, and whatever holds a secret of the run.
func (l *LogReading) Read(ctx context.Context, cases ...*Case) error {
	owner := l.s.callsOf(cases)
	var all []LogRecord
	began, changed := time.Now(), time.Now()
	for time.Since(changed) < logQuiet && time.Since(began) < logLimit {
		records, end, err := l.s.target.Observe.Logs.Read(ctx, l.from)
		if err != nil {
			return l.s.unproven(fmt.Errorf("read the target's log: %w", err))
		}
		l.from = end
		all = append(all, records...)
		if slices.ContainsFunc(records, func(r LogRecord) bool { return owner[r.CorrelationID] != "" }) {
			changed = time.Now()
		}
		if err := l.s.Watch(ctx, logTick); err != nil {
			return err
		}
	}
	kept := 0
	traces := map[string]string{}
	for _, r := range all {
		if id := owner[r.CorrelationID]; id != "" && r.Trace != "" {
			traces[r.Trace] = id
		}
	}
	for _, r := range all {
		id := owner[r.CorrelationID]
		if id == "" && r.RequestID != "" {
			id = l.s.requestOf(r.RequestID, cases)
		}
		if id == "" && r.Trace != "" {
			id = traces[r.Trace]
		}
		if id == "" && !l.s.secretive(r.Line) {
			continue
		}
		kept++
		l.s.rec.Append(Event{Type: LogEvent, Case: id, Log: &r})
	}
	l.s.Note(nil, MarkLogs, "", map[string]int64{"lines": int64(len(all)), "kept": int64(kept)})
	return nil
}

// names keeps whose request an answer names. A status read may ask for another
// case's.
func (s *Session) names(c *Case, a Attempt, answer Answer) {
	if answer.RequestID == "" || a.Operation == OpStatus {
		return
	}
	s.ownsEvents(c, answer.RequestID, answer.OrderID)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.named[answer.RequestID] = c.ID
	if answer.OrderID != "" {
		s.orders[answer.RequestID] = answer.OrderID
	}
}

// requestOf returns the case of a request, if it is one of those.
func (s *Session) requestOf(requestID string, cases []*Case) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := s.named[requestID]
	if slices.ContainsFunc(cases, func(c *Case) bool { return c.ID == id }) {
		return id
	}
	return ""
}

// callsOf returns the cases by the correlation ids that their calls carried.
func (s *Session) callsOf(cases []*Case) map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	owner := map[string]string{}
	for _, c := range cases {
		owner[c.CorrelationID] = c.ID
	}
	for id, c := range s.asked {
		if slices.ContainsFunc(cases, func(of *Case) bool { return of.ID == c }) {
			owner[id] = c
		}
	}
	return owner
}
