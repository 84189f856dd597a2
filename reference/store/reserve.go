package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

// Reserve implements [checkout.Store]. Whether a key is free is decided by the
// insert itself; looking first would leave a gap for a second request. The same
// holds for the tombstone, which is looked for last: a purge that ended meanwhile
// has freed the key and left one, and then the insert is taken back.
func (s records) Reserve(ctx context.Context, r checkout.Record) (stored checkout.Record, created bool, err error) {
	order, err := encode(r.Order)
	if err != nil {
		return checkout.Record{}, false, err
	}
	headers, err := encode(r.Response.Header)
	if err != nil {
		return checkout.Record{}, false, err
	}
	values := []any{r.RequestID, r.Scope.Tenant, r.Scope.Principal, r.Scope.Operation, r.Scope.Version, r.Scope.Key,
		r.Owner.Tenant, r.Owner.Subject, r.Version, r.Cancels, r.Fingerprint, order, r.CorrelationID, r.State, r.Code,
		r.Lock, r.Fence, stamp(r.LeaseUntil), stamp(r.DueAt), r.Run,
		r.ReservationID, r.ChargeID, r.OrderID, r.Response.Status, headers, body(r.Response), r.AttemptCount,
		stamp(r.CreatedAt), stamp(r.UpdatedAt), stamp(r.TerminalAt), stamp(r.ExpiresAt), r.PaymentKey}
	insert := `INSERT INTO checkouts (` + columns + `) VALUES (` + placeholders(len(values)) + `) ON CONFLICT DO NOTHING`

	err = s.inTx(ctx, func(tx *sql.Tx) error {
		n, err := changed(tx.ExecContext(ctx, insert, values...))
		if err != nil {
			return fmt.Errorf("insert: %w", err)
		}
		created = n == 1
		found, err := scan(tx.QueryRowContext(ctx, `SELECT `+columns+` FROM checkouts
			WHERE tenant_id = $1 AND principal_id = $2 AND operation = $3 AND api_version = $4 AND key = $5`, values[1:6]...))
		free := errors.Is(err, checkout.ErrUnknown)
		if err != nil && !free {
			return err
		}
		gone, err := buried(ctx, tx, r.Scope)
		switch {
		case err != nil:
			return err
		case gone || !free && !found.ExpiresAt.IsZero() && !found.ExpiresAt.After(r.CreatedAt):
			return checkout.ErrExpired
		case free: // the key is, so the checkout is not
			return checkout.ErrCancelled
		}
		stored = found
		return nil
	})
	if err != nil {
		return checkout.Record{}, false, fmt.Errorf("reserve: %w", err)
	}
	return stored, created, nil
}
