package check

import (
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

func TestAudited(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	write := func(s *story, r harness.LogRecord) {
		s.add(harness.Event{Type: harness.LogEvent, Case: "t/s/a", Log: &r})
	}
	tried := func(n int) harness.LogRecord {
		return harness.LogRecord{Dependency: "payment", Attempt: n, CorrelationID: "c", RequestID: "r1", Time: now}
	}
	change := func(from, to string) harness.LogRecord {
		return harness.LogRecord{FromState: from, ToState: to, CorrelationID: "c", RequestID: "r1", Time: now}
	}
	run := func(records ...harness.LogRecord) *story {
		s := newStory()
		op := s.invoke("a", keyK)
		s.charge("a", "p", before, 503).charge("a", "p", "", 201).answer(op, created)
		for _, r := range records {
			write(s, r)
		}
		return s.add(harness.Event{Type: harness.MarkEvent, Mark: &harness.Mark{Name: harness.MarkLogs, Count: map[string]int64{"lines": 9}}})
	}
	begun, done := change("", "PENDING"), change("PENDING", "SUCCEEDED")
	nobody, elsewhere := tried(2), tried(2)
	nobody.RequestID, elsewhere.Dependency = "", "psp"
	unread := newStory().send("a", keyK, created).charge("a", "p", "", 201)
	judgeAll(t, Audited(All()),
		judged{"all of it", run(begun, tried(1), tried(2), done), harness.Pass},
		judged{"a failed attempt is missing", run(begun, tried(2), done), harness.Fail},
		judged{"an attempt too many", run(begun, tried(1), tried(2), tried(3), done), harness.Fail},
		judged{"an attempt of nobody", run(begun, tried(1), nobody, done), harness.Fail},
		judged{"no change", run(tried(1), tried(2)), harness.Fail},
		judged{"a change is missing", run(begun, tried(1), tried(2), change("FAILED_RETRYABLE", "SUCCEEDED")), harness.Fail},
		judged{"the last change is missing", run(begun, tried(1), tried(2)), harness.Fail},
		judged{"dependencies by other names", run(begun, tried(1), elsewhere, done), harness.Inconclusive},
		judged{"the log was not read", unread, harness.Inconclusive},
	)
}

func TestRecordMatchesJournal(t *testing.T) {
	base := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	run := func(attempts ...harness.StoredAttempt) *story {
		s := newStory()
		s.header.Started = base
		s.callAt("a", harness.Call{Link: "payment", Operation: "charge", CorrelationID: "c", Started: time.Second, Ended: 2 * time.Second})
		s.callAt("a", harness.Call{Link: "payment", Operation: "charge", CorrelationID: "c", Started: 5 * time.Second, Ended: 6 * time.Second})
		return s.add(harness.Event{Type: harness.RecordEvent, Case: "t/s/a", Record: &harness.StoredRecord{RequestID: "r1", Attempts: attempts}})
	}
	stored := func(from, to int) harness.StoredAttempt {
		return harness.StoredAttempt{Dependency: "payment", Operation: "charge", CorrelationID: "c",
			Start: base.Add(time.Duration(from) * time.Second), End: base.Add(time.Duration(to) * time.Second)}
	}
	uncorrelated, elsewhere, endless := stored(5, 6), stored(5, 6), stored(5, 6)
	uncorrelated.CorrelationID, elsewhere.Dependency, endless.End = "", "provider", time.Time{}
	judgeAll(t, RecordMatchesJournal(All()),
		judged{"as it was", run(stored(1, 2), stored(5, 6)), harness.Pass},
		judged{"one is missing", run(stored(1, 2)), harness.Fail},
		judged{"one too many", run(stored(1, 2), stored(5, 6), stored(8, 9)), harness.Fail},
		judged{"at another time", run(stored(1, 2), stored(8, 9)), harness.Fail},
		judged{"without an end", run(stored(1, 2), endless), harness.Fail},
		judged{"without a correlation id", run(stored(1, 2), uncorrelated), harness.Fail},
		judged{"at another dependency", run(stored(1, 2), elsewhere), harness.Fail},
		judged{"an empty record", newStory().add(harness.Event{Type: harness.RecordEvent, Case: "t/s/a", Record: &harness.StoredRecord{}}), harness.Inconclusive},
	)
}
