package harness

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// RecordReader reads what the target's store holds of one request.
type RecordReader interface {
	// Record returns the record of a request, or an error that says that there is
	// none.
	Record(ctx context.Context, requestID string) (StoredRecord, error)
}

// StoredRecord is the record of one idempotent request as the target's store holds
// it. What is empty was not there.
type StoredRecord struct {
	RequestID   string `json:"requestId"`
	Tenant      string `json:"tenant,omitempty"` // the parts of its scope
	Principal   string `json:"principal,omitempty"`
	Operation   string `json:"operation,omitempty"`
	Version     string `json:"version,omitempty"`
	Key         string `json:"key,omitempty"` // or its hash
	Fingerprint string `json:"fingerprint,omitempty"`
	State       string `json:"state,omitempty"`
	Status      int    `json:"status,omitempty"`   // of the stored answer
	Response    string `json:"response,omitempty"` // its body, redacted
	// AttemptCount is the number that the record itself holds.
	AttemptCount *int            `json:"attemptCount,omitempty"`
	Attempts     []StoredAttempt `json:"attempts,omitempty"`
	UpdatedAt    time.Time       `json:"updatedAt,omitzero"`
	TerminalAt   time.Time       `json:"terminalAt,omitzero"`
	ExpiresAt    time.Time       `json:"expiresAt,omitzero"`
	// Unique are the parts of the scope that one unique constraint covers, by the
	// names above, as the store's own schema says.
	Unique []string `json:"unique,omitempty"`
}

// StoredAttempt is one stored call of a dependency.
type StoredAttempt struct {
	Dependency    string    `json:"dependency,omitempty"`
	Operation     string    `json:"operation,omitempty"`
	CorrelationID string    `json:"correlationId,omitempty"`
	Start         time.Time `json:"start,omitzero"`
	End           time.Time `json:"end,omitzero"`
}

// ReadRecord reads the stored record of a request and records it for the case.
func (s *Session) ReadRecord(ctx context.Context, c *Case, requestID string) error {
	if s.target.Observe.Records == nil {
		return s.notOffered("read a stored record", "observe.storage.record")
	}
	r, err := s.target.Observe.Records.Record(ctx, requestID)
	if err != nil {
		return s.unproven(fmt.Errorf("read the stored record of request %s: %w", requestID, err))
	}
	s.rec.Append(Event{Type: RecordEvent, Case: caseID(c), Record: &r})
	return nil
}

// tryRecord reads the record of a checkout that was made.
func (s *Session) tryRecord(ctx context.Context, c *Case) (string, error) {
	if s.target.Observe.Records == nil {
		return "", errNothingReads
	}
	made, err := s.ended(ctx, c, Attempt{Principal: s.DefaultPrincipal()})
	if err != nil || made.Class != ClassSuccess || made.Answer.RequestID == "" {
		return "", errors.New("the checkout whose record was to be read brought no request id: " + made.describe())
	}
	r, err := s.target.Observe.Records.Record(ctx, made.Answer.RequestID)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("the record of a checkout that was made: state %s, %d attempts", r.State, len(r.Attempts)), nil
}

func (r StoredRecord) describe() string {
	expires := "never"
	if !r.ExpiresAt.IsZero() {
		expires = r.ExpiresAt.Format(time.RFC3339)
	}
	return fmt.Sprintf("record of request %s: state %s, answer %d, %d attempts, expires %s", short(r.RequestID), r.State, r.Status, len(r.Attempts), expires)
}
