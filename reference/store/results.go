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
// the same database: what was handed out by one instance is known to the others.
type Results struct{ db records }

var _ gateway.Store = Results{}

// Results returns the store of results in this database.
func (s records) Results() Results { return Results{s} }

// Keep implements [gateway.Store].
func (r Results) Keep(ctx context.Context, e gateway.Entry, oldest time.Time) error {
	headers, err := encode(e.Header)
	if err != nil {
		return err
	}
	// Two statements by themselves: whoever holds the locks of both in one
	// transaction may wait in PostgreSQL for somebody who waits for him.
	if _, err := r.db.write.ExecContext(ctx, `DELETE FROM results WHERE stored_at < $1`, stamp(oldest)); err != nil {
		return fmt.Errorf("remove old results: %w", err)
	}
	_, err = r.db.write.ExecContext(ctx, `INSERT INTO results
			(tenant_id, owner_subject, method, target, call, status, headers, body, stored_at)
		VALUES (`+placeholders(9)+`)
		ON CONFLICT (tenant_id, owner_subject, method, target, call) DO UPDATE SET
			status = excluded.status, headers = excluded.headers, body = excluded.body, stored_at = excluded.stored_at`,
		e.Tenant, e.Owner, e.Method, e.Target, e.Call, e.Status, headers, append([]byte{}, e.Body...), stamp(e.StoredAt))
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
		WHERE tenant_id = $1 AND owner_subject = $2 AND method = $3 AND target = $4 AND call = $5`,
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
