package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

// saveEvent writes an event beside what it is about, in the same transaction: one
// is not there without the other. Its sequence comes from a counter of the
// aggregate, which the transaction holds until its end, so that the sequence has
// the order of the commits and no gaps. An event that is there already was
// written by an earlier try whose answer was lost.
func saveEvent(ctx context.Context, tx *sql.Tx, e *checkout.Event) error {
	if e == nil {
		return nil
	}
	var there bool
	err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM events WHERE event_id = $1)`, e.ID).Scan(&there)
	if err != nil {
		return fmt.Errorf("look for event %s: %w", e.ID, err)
	}
	if there {
		return nil
	}
	var sequence int64
	err = tx.QueryRowContext(ctx, `INSERT INTO sequences (tenant_id, aggregate_id, latest) VALUES ($1, $2, 1)
		ON CONFLICT (tenant_id, aggregate_id) DO UPDATE SET latest = sequences.latest + 1
		RETURNING latest`, e.Tenant, e.Aggregate).Scan(&sequence)
	if err != nil {
		return fmt.Errorf("take the next sequence of %s: %w", e.Aggregate, err)
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO events
			(event_id, tenant_id, aggregate_id, sequence, type, schema_version, payload, correlation_id, occurred_at, state)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'PENDING')`,
		e.ID, e.Tenant, e.Aggregate, sequence, e.Type, e.SchemaVersion, e.Payload, e.CorrelationID, stamp(e.OccurredAt))
	if err != nil {
		return fmt.Errorf("write event %s: %w", e.ID, err)
	}
	return nil
}
