package telemetry

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

func TestRecord(t *testing.T) {
	start, end := time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC), time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC)
	for name, tc := range map[string]struct {
		line string
		want harness.LogRecord
	}{
		"an attempt": {`{"msg":"attempt","dependency":"catalog","attempt":2,"outcome":"reset","correlationId":"c1","status":0}`,
			harness.LogRecord{Dependency: "catalog", Attempt: 2, Outcome: "reset", CorrelationID: "c1"}},
		"an attempt of a request": {`{"time":"2026-01-02T03:04:06Z","msg":"attempt","requestId":"r1","dependency":"payment","attempt":1,"correlationId":"c1"}`,
			harness.LogRecord{Dependency: "payment", Attempt: 1, CorrelationID: "c1", RequestID: "r1", Time: end}},
		"a change of state": {`{"ts":"2026-01-02T03:04:06Z","request_id":"r1","correlationId":"c1","from":"PENDING","to":"SUCCEEDED"}`,
			harness.LogRecord{CorrelationID: "c1", RequestID: "r1", FromState: "PENDING", ToState: "SUCCEEDED", Time: end}},
		"an attempt in other spelling, further in": {`{"fields":{"correlation_id":"c1","Attempt":"2","outcome":"ok","peer.service":"catalog"}}`,
			harness.LogRecord{Dependency: "catalog", Attempt: 2, Outcome: "ok", CorrelationID: "c1"}},
		"a span": {`{"msg":"span","traceId":"t","spanId":"s","parentSpanId":"p","start":"2026-01-02T03:04:05.000006Z","end":"2026-01-02T03:04:06Z","failed":true,"attributes":{"attempt":1,"correlationId":"c1"}}`,
			harness.LogRecord{Trace: "t", Span: "s", Parent: "p", Start: start, End: end, Failed: true, Attempt: 1, CorrelationID: "c1"}},
		"a span of OpenTelemetry's stdout exporter": {`{"Name":"attempt","SpanContext":{"TraceID":"t","SpanID":"s"},"Parent":{"TraceID":"t","SpanID":"p"},"StartTime":"2026-01-02T03:04:05.000006Z","EndTime":"2026-01-02T03:04:06Z","Attributes":[{"Key":"attempt","Value":{"Type":"INT64","Value":1}},{"Key":"correlationId","Value":{"Type":"STRING","Value":"c1"}}],"Status":{"Code":"Error","Description":"x"}}`,
			harness.LogRecord{Trace: "t", Span: "s", Parent: "p", Start: start, End: end, Failed: true, Attempt: 1, CorrelationID: "c1"}},
		"a span in OTLP's JSON": {`{"traceId":"t","spanId":"s","parentSpanId":"","startTimeUnixNano":"1767323045000006000","endTimeUnixNano":"1767323046000000000","attributes":[{"key":"attempt","value":{"intValue":"3"}}],"status":{"code":2}}`,
			harness.LogRecord{Trace: "t", Span: "s", Start: start, End: end, Failed: true, Attempt: 3}},
		"a root of an exporter that writes zeros": {`{"SpanContext":{"TraceID":"t","SpanID":"s"},"Parent":{"SpanID":"0000000000000000"}}`, harness.LogRecord{Trace: "t", Span: "s"}},
		"no JSON":   {`panic: {`, harness.LogRecord{}},
		"no object": {`["dependency"]`, harness.LogRecord{}},
	} {
		t.Run(name, func(t *testing.T) {
			tc.want.Line = tc.line
			got := record(tc.line)
			if !got.Start.Equal(tc.want.Start) || !got.End.Equal(tc.want.End) {
				t.Errorf("from %s to %s, want %s to %s", got.Start, got.End, tc.want.Start, tc.want.End)
			}
			got.Start, got.End, tc.want.Start, tc.want.End = time.Time{}, time.Time{}, time.Time{}, time.Time{}
			if got != tc.want {
				t.Errorf("%+v\nwant %+v", got, tc.want)
			}
		})
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestLogsFromAPlaceOn: each record is read once, and only when it is complete.
func TestLogsFromAPlaceOn(t *testing.T) {
	file := filepath.Join(t.TempDir(), "log.jsonl")
	write(t, file, `{"outcome":"before"}`+"\n")
	l := NewLogs(file)
	at, err := l.End(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	read := func(want ...string) {
		t.Helper()
		records, end, err := l.Read(t.Context(), at)
		if err != nil {
			t.Fatal(err)
		}
		at = end
		var got []string
		for _, r := range records {
			got = append(got, r.Outcome)
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("read %v, want %v", got, want)
		}
	}
	read()
	write(t, file, `{"outcome":"one"}`+"\n\n"+`{"outcome":`)
	read("one")
	write(t, file, `"two"}`+"\n")
	read("two")
	read()
	if err := os.Remove(file); err != nil { // rotated
		t.Fatal(err)
	}
	write(t, file, `{"outcome":"three"}`+"\n")
	read("three")
}

func TestLogsThatAreNotThere(t *testing.T) {
	l := NewLogs(filepath.Join(t.TempDir(), "none"))
	if _, err := l.End(t.Context()); err == nil || !strings.Contains(err.Error(), "observe.logs.file") {
		t.Errorf("%v, want the key to correct", err)
	}
	if _, _, err := l.Read(t.Context(), 0); err == nil {
		t.Error("nothing was read, and nobody is told")
	}
}

func FuzzRecord(f *testing.F) {
	for _, line := range []string{`{"attempt":1}`, `{"a":{"b":[{"Key":"attempt","Value":{"Value":2}}]}}`, `{"Key":"x","Value":null}`, `{`, ``} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if r := record(line); len(r.Line) > maxKept {
			t.Errorf("%d bytes of a line are kept", len(r.Line))
		}
	})
}
