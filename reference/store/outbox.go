package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// OutboxEntry is an event as it stands in the database, but for its payload, which
// is for those it is addressed to. Its position is that of its arrival: in
// PostgreSQL it may be committed after one that arrived later.
type OutboxEntry struct {
	Position      int64     `json:"position"`
	EventID       string    `json:"eventId"`
	AggregateID   string    `json:"aggregateId"`
	Tenant        string    `json:"tenant"`
	Sequence      int64     `json:"sequence"`
	Type          string    `json:"type"`
	State         string    `json:"state"`
	CorrelationID string    `json:"correlationId"`
	OccurredAt    time.Time `json:"occurredAt"`
}

// Outbox reads, beside whoever serves them, the events that arrived after a
// position, in the order of their arrival.
func (l Location) Outbox(ctx context.Context, since int64) (entries []OutboxEntry, err error) {
	db, err := l.toRead()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	rows, err := db.QueryContext(ctx, `SELECT rowid, event_id, aggregate_id, tenant_id, sequence, type, state, correlation_id, occurred_at
		FROM events WHERE rowid > $1 ORDER BY rowid`, since)
	if err != nil {
		return nil, fmt.Errorf("read the events of the store: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	entries = []OutboxEntry{}
	for rows.Next() {
		var e OutboxEntry
		if err := rows.Scan(&e.Position, &e.EventID, &e.AggregateID, &e.Tenant, &e.Sequence, &e.Type, &e.State, &e.CorrelationID, (*micros)(&e.OccurredAt)); err != nil {
			return nil, fmt.Errorf("read an event of the store: %w", err)
		}
		entries = append(entries, e)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read the events of the store: %w", err)
	}
	return entries, nil
}

// toRead opens the database over a connection of its own that may only read.
func (l Location) toRead() (*sql.DB, error) {
	if l.File != "" {
		return fileToRead(l.File)
	}
	return postgresToRead(l.dsn)
}
