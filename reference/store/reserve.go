package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

// Reserve implements [checkout.Store]. Whether a key is free is decided by the
// insert itself; looking first would leave a gap for a second request.
func (s *SQLite) Reserve(ctx context.Context, r checkout.Record) (stored checkout.Record, created bool, err error) {
	order, err := encode(r.Order)
	if err != nil {
		return checkout.Record{}, false, err
	}
	headers, err := encode(r.Response.Header)
	if err != nil {
		return checkout.Record{}, false, err
	}
	values := []any{r.RequestID, r.Scope.Tenant, r.Scope.Principal, r.Scope.Operation, r.Scope.Version, r.Scope.Key,
		r.Owner.Tenant, r.Owner.Subject, r.Fingerprint, order, r.CorrelationID, r.State, r.Code,
		r.Lock, r.Fence, stamp(r.LeaseUntil), stamp(r.DueAt), r.Run,
		r.ReservationID, r.ChargeID, r.OrderID, r.Response.Status, headers, body(r.Response), r.AttemptCount,
		stamp(r.CreatedAt), stamp(r.UpdatedAt), stamp(r.TerminalAt), stamp(r.ExpiresAt)}
	insert := `INSERT INTO checkouts (` + columns + `) VALUES (?` + strings.Repeat(", ?", len(values)-1) + `)
		ON CONFLICT (tenant_id, principal_id, operation, api_version, key) DO NOTHING`

	err = s.inTx(ctx, func(tx *sql.Tx) error {
		result, err := tx.ExecContext(ctx, insert, values...)
		if err != nil {
			return fmt.Errorf("insert: %w", err)
		}
		n, err := result.RowsAffected()
		if err != nil {
			return fmt.Errorf("count inserted rows: %w", err)
		}
		created = n == 1
		stored, err = scan(tx.QueryRowContext(ctx, `SELECT `+columns+` FROM checkouts
			WHERE tenant_id = ? AND principal_id = ? AND operation = ? AND api_version = ? AND key = ?`, values[1:6]...))
		return err
	})
	if err != nil {
		return checkout.Record{}, false, fmt.Errorf("reserve: %w", err)
	}
	return stored, created, nil
}
