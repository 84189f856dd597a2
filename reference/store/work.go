package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

// Claim implements [checkout.Store]. One statement checks and takes.
func (s records) Claim(ctx context.Context, requestID string, now, until time.Time) (r checkout.Record, err error) {
	err = s.inTx(ctx, func(tx *sql.Tx) error {
		r, err = scan(tx.QueryRowContext(ctx, `UPDATE checkouts SET
				run         = CASE lock WHEN 'IN_PROGRESS' THEN run ELSE run + 1 END,
				lock        = 'IN_PROGRESS',
				fence       = fence + 1,
				lease_until = $2,
				due_at      = $2,
				code        = CASE state WHEN 'FAILED_RETRYABLE' THEN '' ELSE code END,
				state       = CASE state WHEN 'FAILED_RETRYABLE' THEN 'PENDING' ELSE state END
			WHERE request_id = $3 AND lease_until <= $1
				AND (state = 'FAILED_RETRYABLE' OR due_at BETWEEN 1 AND $1)
			RETURNING `+columns, stamp(now), stamp(until), requestID))
		return err
	})
	if errors.Is(err, checkout.ErrUnknown) {
		return checkout.Record{}, checkout.ErrHeld
	}
	if err != nil {
		return checkout.Record{}, fmt.Errorf("claim: %w", err)
	}
	return r, nil
}

// Extend implements [checkout.Store].
func (s records) Extend(ctx context.Context, requestID string, fence int64, until time.Time) error {
	result, err := s.write.ExecContext(ctx, `UPDATE checkouts SET lease_until = $1, due_at = $1
		WHERE request_id = $2 AND fence = $3 AND lock = 'IN_PROGRESS'`, stamp(until), requestID, fence)
	return fenced(result, err)
}

// Save implements [checkout.Store].
func (s records) Save(ctx context.Context, r checkout.Record, attempts ...checkout.Attempt) error {
	headers, err := encode(r.Response.Header)
	if err != nil {
		return err
	}
	err = s.inTx(ctx, func(tx *sql.Tx) error {
		result, err := tx.ExecContext(ctx, `UPDATE checkouts SET
				state = $1, code = $2, reservation_id = $3, charge_id = $4, order_id = $5,
				status = $6, headers = $7, body = $8, attempt_count = $9,
				updated_at = CASE WHEN updated_at > $10 THEN updated_at ELSE $10 END, terminal_at = $11, expires_at = $12
			WHERE request_id = $13 AND fence = $14`,
			r.State, r.Code, r.ReservationID, r.ChargeID, r.OrderID,
			r.Response.Status, headers, body(r.Response), r.AttemptCount,
			stamp(r.UpdatedAt), stamp(r.TerminalAt), stamp(r.ExpiresAt), r.RequestID, r.Fence)
		if err := fenced(result, err); err != nil {
			return err
		}
		if r.Lock != checkout.InProgress {
			_, err := tx.ExecContext(ctx, `UPDATE checkouts SET lock = $1, lease_until = 0, due_at = $2 WHERE request_id = $3`,
				r.Lock, stamp(r.DueAt), r.RequestID)
			if err != nil {
				return fmt.Errorf("give up the lease: %w", err)
			}
		}
		if err := saveAttempts(ctx, tx, r.RequestID, attempts); err != nil {
			return err
		}
		return saveEvent(ctx, tx, r.Event)
	})
	if err != nil {
		return fmt.Errorf("save: %w", err)
	}
	return nil
}

func saveAttempts(ctx context.Context, tx *sql.Tx, requestID string, attempts []checkout.Attempt) error {
	for _, a := range attempts {
		_, err := tx.ExecContext(ctx, `INSERT INTO attempts
				(request_id, operation, run, number, dependency, class, status, unknown, correlation_id, started_at, ended_at)
			VALUES (`+placeholders(11)+`)
			ON CONFLICT (request_id, operation, run, number) DO UPDATE SET
				class = excluded.class, status = excluded.status, unknown = excluded.unknown, ended_at = excluded.ended_at`,
			requestID, a.Operation, a.Run, a.Number, a.Dependency, a.Class, a.Status, a.Unknown, a.CorrelationID,
			stamp(a.StartedAt), stamp(a.EndedAt))
		if err != nil {
			return fmt.Errorf("write attempt %d of %s: %w", a.Number, a.Operation, err)
		}
	}
	return nil
}
