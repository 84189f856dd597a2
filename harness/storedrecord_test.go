package harness

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// records is a store of which single records can be read.
type records struct {
	record StoredRecord
	err    error
}

func (r records) Record(_ context.Context, requestID string) (StoredRecord, error) {
	r.record.RequestID = requestID
	return r.record, r.err
}

// TestReadRecord: what the store holds becomes an event of the case.
func TestReadRecord(t *testing.T) {
	bubble(func(t *testing.T) {
		target := shopTarget(&shop{})
		target.Observe.Records = records{record: StoredRecord{State: "SUCCEEDED", Status: 201}}
		_, dir := run(t, target, watching(func(ctx context.Context, s *Session, c *Case) error { return s.ReadRecord(ctx, c, "r-9") }), everything)
		for _, e := range eventsOf(t, dir, "x/one-order") {
			if e.Type == RecordEvent {
				if e.Record.RequestID != "r-9" || e.Record.State != "SUCCEEDED" || e.Case != "x/one-order/c" || !strings.Contains(e.String(), "r-9") {
					t.Errorf("recorded %+v of case %s, told as %s", e.Record, e.Case, e)
				}
				return
			}
		}
		t.Error("nothing was recorded")
	})(t)
}

// TestRecordUnread: without a way to read records, or one that works, the
// experiment is not decided.
func TestRecordUnread(t *testing.T) {
	bubble(func(t *testing.T) {
		for name, reader := range map[string]RecordReader{"not offered": nil, "not readable": records{err: errors.New("status 404")}} {
			target := shopTarget(&shop{})
			target.Observe.Records = reader
			_, dir := run(t, target, watching(func(ctx context.Context, s *Session, c *Case) error { return s.ReadRecord(ctx, c, "r-9") }), everything)
			told := false
			for _, e := range eventsOf(t, dir, "x/one-order") {
				told = told || e.Type == MarkEvent && e.Mark.Name == MarkError && strings.Contains(e.Mark.Detail, "record")
				if e.Type == RecordEvent {
					t.Errorf("%s: there is a record", name)
				}
			}
			if !told {
				t.Errorf("%s: nothing is told", name)
			}
		}
	})(t)
}

// TestRecordsThatNameARequest: a record of the log belongs to the case whose
// request it names, whatever else it carries.
func TestRecordsThatNameARequest(t *testing.T) {
	bubble(func(t *testing.T) {
		target, log := shopTarget(&shop{}), &observed{}
		target.Observe.Logs = log
		_, dir := run(t, target, testCatalogue(Scenario{ID: "x/one-order", Title: "one order", Drive: func(ctx context.Context, s *Session) error {
			c, other := s.Case("c"), s.Case("other")
			mine, theirs := s.Send(ctx, c, Attempt{Principal: "alice"}), s.Send(ctx, other, Attempt{Principal: "alice"})
			log.records = []LogRecord{{Line: "mine", RequestID: mine.Answer.RequestID}, {Line: "theirs", RequestID: theirs.Answer.RequestID}, {Line: "nobody's", RequestID: "r-0"}}
			logs, err := s.WatchLogs(ctx)
			if err != nil {
				return err
			}
			return logs.Read(ctx, c)
		}, Checks: oneOrder().Checks}), everything)
		kept := ""
		for _, e := range eventsOf(t, dir, "x/one-order") {
			if e.Type == LogEvent {
				kept += e.Case + ":" + e.Log.Line + " "
			}
		}
		if kept != "x/one-order/c:mine " {
			t.Errorf("kept %q", kept)
		}
	})(t)
}
