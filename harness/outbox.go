package harness

import (
	"context"
	"fmt"
	"time"
)

// CapOutbox lets the target's outbox be read.
const CapOutbox Capability = "outbox-probe"

// Outbox reads the events that the target has recorded to tell others.
type Outbox interface {
	// Events returns all entries with Position > since, in order, each as it is now.
	Events(ctx context.Context, since int64) ([]OutboxEvent, error)
}

// OutboxEvent is one entry of the outbox. What is empty was not there.
type OutboxEvent struct {
	Position       int64     `json:"position"` // grows with each entry, and stays with it
	EventID        string    `json:"eventId"`
	AggregateID    string    `json:"aggregateId,omitempty"`
	Tenant         string    `json:"tenant,omitempty"`
	Sequence       int64     `json:"sequence,omitempty"` // within the aggregate
	Type           string    `json:"type,omitempty"`
	State          string    `json:"state,omitempty"`
	AttemptCount   *int64    `json:"attemptCount,omitempty"`
	LastErrorClass string    `json:"lastErrorClass,omitempty"`
	NextAttemptAt  time.Time `json:"nextAttemptAt,omitzero"`
	CorrelationID  string    `json:"correlationId,omitempty"`
	OccurredAt     time.Time `json:"occurredAt,omitzero"`
	// Gone says that the outbox no longer shows the entry. The rest is what it showed
	// last.
	Gone bool `json:"gone,omitempty"`
}

// MarkOutbox says that the outbox had been quiet for a window when it was read:
// what the cases had in it by then stands before. Count holds the entries that are
// theirs and those that belong to no case of the run: as strays, or as others where
// others leave entries, too.
const MarkOutbox = "outbox-read"

// MarkOutboxUnread says that the outbox could not be read at the end of the run, so
// that nobody knows what came late.
const MarkOutboxUnread = "outbox-unread"

// The counts of [MarkOutbox].
const (
	OutboxOurs   = "ours"
	OutboxStrays = "strays"
	OutboxOthers = "others" // all that the session found since it began, whether or not they are still there
)

// same reports whether both show the same entry in the same condition.
func (e OutboxEvent) same(other OutboxEvent) bool {
	a, b := e.AttemptCount, other.AttemptCount
	if (a == nil) != (b == nil) || a != nil && *a != *b {
		return false
	}
	e.AttemptCount, other.AttemptCount = nil, nil
	return e == other
}

func (e OutboxEvent) describe() string {
	text := fmt.Sprintf("outbox %d: %s %s, state %s, correlation id %s", e.Position, e.Type, short(e.EventID), e.State, short(e.CorrelationID))
	if e.AttemptCount != nil {
		text += fmt.Sprintf(" after %d attempts", *e.AttemptCount)
	}
	if e.Gone {
		text += ", is no longer there"
	}
	return text
}
