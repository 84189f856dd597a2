package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

// Load implements [checkout.Store].
func (s records) Load(ctx context.Context, requestID string) (checkout.Record, error) {
	r, err := scan(s.read.QueryRowContext(ctx, `SELECT `+columns+` FROM checkouts WHERE request_id = $1`, requestID))
	if err != nil && !errors.Is(err, checkout.ErrUnknown) {
		return checkout.Record{}, fmt.Errorf("load: %w", err)
	}
	return r, err
}

// Cancellation implements [checkout.Store].
func (s records) Cancellation(ctx context.Context, requestID string) (checkout.Record, error) {
	r, err := scan(s.read.QueryRowContext(ctx, `SELECT `+columns+` FROM checkouts
		WHERE cancels = $1 AND cancels <> '' AND state <> 'FAILED_FINAL'`, requestID))
	if err != nil && !errors.Is(err, checkout.ErrUnknown) {
		return checkout.Record{}, fmt.Errorf("look for a cancellation: %w", err)
	}
	return r, err
}

// Attempts implements [checkout.Store].
func (s records) Attempts(ctx context.Context, requestID string) ([]checkout.Attempt, error) {
	rows, err := s.read.QueryContext(ctx, `SELECT operation, run, number, dependency, class, status, unknown,
			correlation_id, started_at, ended_at
		FROM attempts WHERE request_id = $1 ORDER BY started_at, rowid`, requestID)
	if err != nil {
		return nil, fmt.Errorf("read attempts: %w", err)
	}
	defer rows.Close()
	var attempts []checkout.Attempt
	for rows.Next() {
		var a checkout.Attempt
		if err := rows.Scan(&a.Operation, &a.Run, &a.Number, &a.Dependency, &a.Class, &a.Status, &a.Unknown,
			&a.CorrelationID, (*micros)(&a.StartedAt), (*micros)(&a.EndedAt)); err != nil {
			return nil, fmt.Errorf("read an attempt: %w", err)
		}
		attempts = append(attempts, a)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read attempts: %w", err)
	}
	return attempts, nil
}

// Due implements [checkout.Store].
func (s records) Due(ctx context.Context, now time.Time, limit int) ([]string, error) {
	rows, err := s.read.QueryContext(ctx, `SELECT request_id FROM checkouts
		WHERE due_at > 0 AND due_at <= $1 ORDER BY due_at LIMIT $2`, stamp(now), limit)
	if err != nil {
		return nil, fmt.Errorf("look for due records: %w", err)
	}
	defer rows.Close()
	var due []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, fmt.Errorf("read a due record: %w", err)
		}
		due = append(due, id)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("look for due records: %w", err)
	}
	return due, nil
}
