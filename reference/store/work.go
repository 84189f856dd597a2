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

// Wake implements [checkout.Store]. One statement finds, decides and tells, so that
// a worker who parks the record is before it or after it. It asks in the words of
// its index, by which SQLite knows it.
func (s records) Wake(ctx context.Context, paymentKey string, now time.Time) (r checkout.Record, err error) {
	err = s.inTx(ctx, func(tx *sql.Tx) error {
		r, err = scan(tx.QueryRowContext(ctx, `UPDATE checkouts SET due_at = CASE WHEN lock = 'PARKED' AND due_at > $1 THEN $1 ELSE due_at END
			WHERE payment_key = $2 AND payment_key <> '' RETURNING `+columns, stamp(now), paymentKey))
		return err
	})
	if err != nil && !errors.Is(err, checkout.ErrUnknown) {
		return checkout.Record{}, fmt.Errorf("wake: %w", err)
	}
	return r, err
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
	set, values := `state = $3, code = $4, reservation_id = $5, charge_id = $6, order_id = $7,
		status = $8, headers = $9, body = $10, attempt_count = $11,
		updated_at = CASE WHEN updated_at > $12 THEN updated_at ELSE $12 END, terminal_at = $13, expires_at = $14`,
		[]any{r.RequestID, r.Fence, r.State, r.Code, r.ReservationID, r.ChargeID, r.OrderID,
			r.Response.Status, headers, body(r.Response), r.AttemptCount,
			stamp(r.UpdatedAt), stamp(r.TerminalAt), stamp(r.ExpiresAt)}
	if r.Lock != checkout.InProgress {
		set += `, lease_until = 0, lock = $15, due_at = $16`
		values = append(values, r.Lock, stamp(r.DueAt))
	}
	script := []statement{{`UPDATE checkouts SET ` + set + ` WHERE request_id = $1 AND fence = $2`, values}}
	for _, a := range attempts {
		script = append(script, saveAttempt(r, a))
	}
	if r.Event != nil {
		script = append(script, saveEvent(r)...)
	}
	if err := s.carryOut(ctx, script); err != nil {
		return fmt.Errorf("save: %w", err)
	}
	return nil
}

func saveAttempt(r checkout.Record, a checkout.Attempt) statement {
	return statement{`INSERT INTO attempts
			(request_id, operation, run, number, dependency, class, status, unknown, correlation_id, started_at, ended_at)
		SELECT $1, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12 WHERE ` + held + `
		ON CONFLICT (request_id, operation, run, number) DO UPDATE SET
			class = excluded.class, status = excluded.status, unknown = excluded.unknown, ended_at = excluded.ended_at`,
		[]any{r.RequestID, r.Fence, a.Operation, a.Run, a.Number, a.Dependency, a.Class, a.Status, a.Unknown, a.CorrelationID,
			stamp(a.StartedAt), stamp(a.EndedAt)}}
}
