package check

import (
	"testing"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

func TestRecordsComplete(t *testing.T) {
	ended := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	whole := func(requestID, state string, status int) harness.StoredRecord {
		return harness.StoredRecord{RequestID: requestID, Tenant: "t1", Principal: "alice", Operation: "checkout", Version: "v1", Key: "k",
			Fingerprint: "f", State: state, Status: status, Attempts: []harness.StoredAttempt{{Dependency: "payment"}},
			TerminalAt: ended, ExpiresAt: ended.Add(24 * time.Hour), Unique: []string{"principal", "tenant", "key", "operation", "version"}}
	}
	no := declined
	no.RequestID = "r2"
	both := func(change func(*harness.StoredRecord)) *story {
		s := newStory().send("a", keyK, created).charge("a", "p1", "", 201).send("b", keyK, no).charge("b", "p2", "", 402)
		first, second := whole("r1", "SUCCEEDED", 201), whole("r2", "FAILED_FINAL", 402)
		change(&first)
		s.add(harness.Event{Type: harness.RecordEvent, Case: "t/s/a", Record: &first})
		return s.add(harness.Event{Type: harness.RecordEvent, Case: "t/s/b", Record: &second})
	}
	judgeAll(t, RecordsComplete(All()),
		judged{"complete", both(func(*harness.StoredRecord) {}), harness.Pass},
		judged{"no version", both(func(r *harness.StoredRecord) { r.Version = "" }), harness.Fail},
		judged{"a constraint of four parts", both(func(r *harness.StoredRecord) { r.Unique = r.Unique[1:] }), harness.Fail},
		judged{"a constraint over one part twice", both(func(r *harness.StoredRecord) { r.Unique[0] = "key" }), harness.Fail},
		judged{"no constraint", both(func(r *harness.StoredRecord) { r.Unique = nil }), harness.Fail},
		judged{"no fingerprint", both(func(r *harness.StoredRecord) { r.Fingerprint = "" }), harness.Fail},
		judged{"no state", both(func(r *harness.StoredRecord) { r.State = "" }), harness.Fail},
		judged{"no answer", both(func(r *harness.StoredRecord) { r.Status = 0 }), harness.Fail},
		judged{"another answer", both(func(r *harness.StoredRecord) { r.Status = 200 }), harness.Fail},
		judged{"another body", both(func(r *harness.StoredRecord) { r.Response = "{}" }), harness.Fail},
		judged{"no attempts", both(func(r *harness.StoredRecord) { r.Attempts = nil }), harness.Fail},
		judged{"more attempts than calls for effects", both(func(r *harness.StoredRecord) { r.Attempts = append(r.Attempts, r.Attempts[0]) }), harness.Pass},
		judged{"fewer attempts than calls for effects", both(func(*harness.StoredRecord) {}).charge("b", "p2", "", 402), harness.Fail},
		judged{"no end", both(func(r *harness.StoredRecord) { r.TerminalAt = time.Time{} }), harness.Fail},
		judged{"no expiry", both(func(r *harness.StoredRecord) { r.ExpiresAt = time.Time{} }), harness.Fail},
		judged{"it expires a minute early", both(func(r *harness.StoredRecord) { r.ExpiresAt = r.ExpiresAt.Add(-time.Minute) }), harness.Fail},
		judged{"of somebody else's request", both(func(r *harness.StoredRecord) { r.RequestID = "r9" }), harness.Inconclusive},
		judged{"no record was read", newStory().send("a", keyK, created), harness.Inconclusive},
	)
}
