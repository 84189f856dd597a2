package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/reference/gateway"
)

// Results keeps what the gateway may fall back to, beside the checkouts and in
// the same file: what was handed out by one instance is known to the others.
type Results struct{ db *SQLite }

var _ gateway.Store = Results{}

// Results returns the store of results in this database.
func (s *SQLite) Results() Results { return Results{s} }

// Keep implements [gateway.Store].
func (r Results) Keep(ctx context.Context, e gateway.Entry, oldest time.Time) error {
	headers, err := encode(e.Header)
	if err != nil {
		return err
	}
	err = r.db.inTx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM results WHERE stored_at < ?`, stamp(oldest)); err != nil {
			return fmt.Errorf("remove old results: %w", err)
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO results
				(tenant_id, owner_subject, method, target, call, status, headers, body, stored_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (tenant_id, owner_subject, method, target, call) DO UPDATE SET
				status = excluded.status, headers = excluded.headers, body = excluded.body, stored_at = excluded.stored_at`,
			e.Tenant, e.Owner, e.Method, e.Target, e.Call, e.Status, headers, append([]byte{}, e.Body...), stamp(e.StoredAt))
		return err
	})
	if err != nil {
		return fmt.Errorf("keep a result: %w", err)
	}
	return nil
}

// Find implements [gateway.Store].
func (r Results) Find(ctx context.Context, resource gateway.Resource) (gateway.Entry, error) {
	e := gateway.Entry{Resource: resource}
	var headers []byte
	err := r.db.read.QueryRowContext(ctx, `SELECT status, headers, body, stored_at FROM results
		WHERE tenant_id = ? AND owner_subject = ? AND method = ? AND target = ? AND call = ?`,
		resource.Tenant, resource.Owner, resource.Method, resource.Target, resource.Call).
		Scan(&e.Status, &headers, &e.Body, (*micros)(&e.StoredAt))
	if errors.Is(err, sql.ErrNoRows) {
		return gateway.Entry{}, gateway.ErrNone
	}
	if err != nil {
		return gateway.Entry{}, fmt.Errorf("find a result: %w", err)
	}
	if err := json.Unmarshal(headers, &e.Header); err != nil {
		return gateway.Entry{}, fmt.Errorf("decode the headers of a result: %w", err)
	}
	return e, nil
}
