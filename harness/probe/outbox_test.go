package probe

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// two are the entries that every way brings into one shape.
func two() []harness.OutboxEvent {
	none, three := int64(0), int64(3)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return []harness.OutboxEvent{
		{Position: 4, EventID: "e-1", AggregateID: "r-1", Tenant: "t1", Sequence: 1, Type: "CHECKOUT_SUCCEEDED", State: "PENDING", AttemptCount: &none, CorrelationID: "corr-1", OccurredAt: at},
		{Position: 9, EventID: "e-2", State: "DEAD_LETTER", AttemptCount: &three, LastErrorClass: "TIMEOUT", NextAttemptAt: at.Add(7 * time.Second)},
	}
}

const twoAsJSON = `{"position":9,"eventId":"e-2","state":"DEAD_LETTER","attemptCount":3,"lastErrorClass":"TIMEOUT","nextAttemptAt":"2026-01-02T04:04:12+01:00","payload":[1]}
{"position":4,"eventId":"e-1","aggregateId":"r-1","tenant":"t1","sequence":1,"type":"CHECKOUT_SUCCEEDED","state":"PENDING","attemptCount":0,"correlationId":"corr-1","occurredAt":"2026-01-02T03:04:05Z"}`

// TestOutbox: what an outbox holds is the same, whichever way it is read.
func TestOutbox(t *testing.T) {
	overHTTP, err := HTTPOutbox(nil, serve(t, answer("application/json", `{"entries":[`+strings.ReplaceAll(twoAsJSON, "\n", ",")+`]}`))+"/outbox?since={{since}}", nil, ".entries[]")
	if err != nil {
		t.Fatal(err)
	}
	path := database(t, `CREATE TABLE outbox (n INTEGER PRIMARY KEY, event_id TEXT, aggregate_id TEXT, tenant TEXT, sequence INT, type TEXT, state TEXT, attempts INT, class TEXT, next DATETIME, corr TEXT, at DATETIME)`,
		`INSERT INTO outbox VALUES (9, 'e-2', NULL, NULL, NULL, NULL, 'DEAD_LETTER', 3, 'TIMEOUT', '2026-01-02 03:04:12', NULL, NULL)`,
		`INSERT INTO outbox VALUES (4, 'e-1', 'r-1', 't1', 1, 'CHECKOUT_SUCCEEDED', 'PENDING', 0, NULL, NULL, 'corr-1', '2026-01-02 03:04:05')`)
	bySQL, err := SQLOutbox("sqlite:"+path, `SELECT n AS position, event_id, aggregate_id, tenant, sequence, type, state, attempts AS attempt_count, class AS last_error_class,
		next AS next_attempt_at, corr AS correlationId, at AS occurred_at FROM outbox WHERE n > {{since}}`)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "outbox.jsonl"), []byte(twoAsJSON), 0o600); err != nil {
		t.Fatal(err)
	}
	byCommand, err := CommandOutbox([]string{"cat", "outbox.jsonl"}, dir)
	if err != nil {
		t.Fatal(err)
	}
	for name, outbox := range map[string]*Outbox{"http": overHTTP, "sql": bySQL, "command": byCommand} {
		for after, want := range map[int64][]harness.OutboxEvent{0: two(), 4: two()[1:], 9: {}} {
			got, err := outbox.Events(t.Context(), after)
			if err != nil || len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
				t.Errorf("%s after %d:\ngot  %+v, %v\nwant %+v", name, after, got, err, want)
			}
		}
		if err := outbox.Close(); err != nil {
			t.Errorf("close %s: %v", name, err)
		}
	}
}

// TestUnclearOutboxesAreErrors: each of these could hide an event.
func TestUnclearOutboxesAreErrors(t *testing.T) {
	for body, want := range map[string]string{
		`[{"eventId":"e"}]`:                                           "entry 1 has no position",
		`[{"position":1}]`:                                            "entry 1: eventId must be there",
		`[{"position":1,"eventId":7}]`:                                "eventId is number",
		`[{"position":1,"eventId":"e","attemptCount":"2"}]`:           "attemptCount is string",
		`[{"position":1,"eventId":"e","occurredAt":"yesterday"}]`:     "occurredAt is no time of RFC 3339",
		`[{"position":1,"eventId":"e"},{"position":1,"eventId":"f"}]`: `two entries have position 1`,
		`["e"]`:  "where an object with position and eventId is needed",
		`<html>`: "check the URL and the credentials of observe.outbox.http",
	} {
		outbox, err := HTTPOutbox(nil, serve(t, answer("application/json", body)), nil, "")
		if err != nil {
			t.Fatal(err)
		}
		if events, err := outbox.Events(t.Context(), 0); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "the outbox") {
			t.Errorf("%s: %+v, %v, want %s", body, events, err, want)
		}
	}
}

// TestOutboxSetUpErrors: they name the key of the outbox, not that of the ledger.
func TestOutboxSetUpErrors(t *testing.T) {
	_, noURL := HTTPOutbox(nil, "outbox", nil, "")
	_, noJQ := HTTPOutbox(nil, "http://127.0.0.1:1", nil, ".[")
	_, noSelect := SQLOutbox("sqlite:x", "DELETE FROM outbox")
	_, noDSN := SQLOutbox("mysql:x", "SELECT 1")
	_, noProgram := CommandOutbox(nil, "")
	for i, err := range []error{noURL, noJQ, noSelect, noDSN, noProgram} {
		if err == nil || !strings.Contains(err.Error(), "observe.outbox") || strings.Contains(err.Error(), "effects") {
			t.Errorf("%d: %v", i, err)
		}
	}
}
