package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

// Purge implements [checkout.Store]. The tombstones are written in the
// transaction that removes the records: a key is at no moment unknown.
func (s records) Purge(ctx context.Context, now time.Time, limit int) (purged int, err error) {
	var old []tomb
	if old, err = expired(ctx, s.read, now, limit); err != nil || len(old) == 0 {
		return 0, err
	}
	err = s.inTx(ctx, func(tx *sql.Tx) error {
		for _, t := range old {
			n, err := bury(ctx, tx, t, now)
			if err != nil {
				return err
			}
			if n == 0 {
				continue // another instance was faster
			}
			purged++
			if _, err := tx.ExecContext(ctx, `INSERT INTO tombstones VALUES (`+placeholders(6)+`) ON CONFLICT DO NOTHING`,
				append(grave(t.Scope), stamp(now))...); err != nil {
				return fmt.Errorf("leave a tombstone: %w", err)
			}
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("purge: %w", err)
	}
	return purged, nil
}

// bury removes an expired record and what belongs to it, and returns how many
// records that were.
func bury(ctx context.Context, tx *sql.Tx, t tomb, now time.Time) (int64, error) {
	_, err := tx.ExecContext(ctx, `DELETE FROM attempts WHERE request_id IN
		(SELECT request_id FROM checkouts WHERE `+isExpired+` AND request_id = $2)`, stamp(now), t.requestID)
	if err != nil {
		return 0, fmt.Errorf("delete the attempts of %s: %w", t.requestID, err)
	}
	n, err := changed(tx.ExecContext(ctx, `DELETE FROM checkouts WHERE `+isExpired+` AND request_id = $2`, stamp(now), t.requestID))
	if err != nil {
		return 0, fmt.Errorf("delete %s: %w", t.requestID, err)
	}
	return n, nil
}

// isExpired is true of a record that is over, needs no work and whose time has
// come by $1, as has that of its cancellation, which is answered for by way of its
// checkout. Both parts ask in the words of their indexes: SQLite knows them by these.
const isExpired = `expires_at > 0 AND expires_at <= $1 AND due_at = 0 AND lock = 'RELEASED' AND state IN ('SUCCEEDED', 'FAILED_FINAL')
	AND NOT EXISTS (SELECT 1 FROM checkouts AS c WHERE c.cancels = checkouts.request_id AND c.cancels <> '' AND c.state <> 'FAILED_FINAL'
		AND c.expires_at NOT BETWEEN 1 AND $1)`

// tomb is what a tombstone is made of.
type tomb struct {
	requestID string
	checkout.Scope
}

func expired(ctx context.Context, db *sql.DB, now time.Time, limit int) (old []tomb, err error) {
	rows, err := db.QueryContext(ctx, `SELECT request_id, tenant_id, principal_id, operation, api_version, key FROM checkouts
		WHERE `+isExpired+` ORDER BY expires_at, request_id LIMIT $2`, stamp(now), limit)
	if err != nil {
		return nil, fmt.Errorf("look for expired records: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var t tomb
		if err := rows.Scan(&t.requestID, &t.Tenant, &t.Principal, &t.Operation, &t.Version, &t.Key); err != nil {
			return nil, fmt.Errorf("read an expired record: %w", err)
		}
		old = append(old, t)
	}
	return old, rows.Err()
}

// buried reports whether there is a tombstone of the scope.
func buried(ctx context.Context, tx *sql.Tx, scope checkout.Scope) (found bool, err error) {
	err = tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM tombstones
		WHERE tenant_id = $1 AND principal_id = $2 AND operation = $3 AND api_version = $4 AND key_sha256 = $5)`, grave(scope)...).Scan(&found)
	if err != nil {
		return false, fmt.Errorf("look for a tombstone: %w", err)
	}
	return found, nil
}

// grave is where the tombstone of a scope is. The key itself is a customer's text
// and is not kept.
func grave(scope checkout.Scope) []any {
	sum := sha256.Sum256([]byte(scope.Key))
	return []any{scope.Tenant, scope.Principal, scope.Operation, scope.Version, sum[:]}
}
