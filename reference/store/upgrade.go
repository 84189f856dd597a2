package store

import (
	"context"
	"database/sql"
	"fmt"
)

// A store that an earlier version made may lack two columns: the payment's key of a
// checkout, which is unknown then, and the explicit position of an event, without
// which SQLite may number the events anew when it tidies up. Both are added before
// anything else is done. What an even earlier version made is refused by the first
// statement that does not fit.
const (
	addPaymentKey = `ALTER TABLE checkouts ADD COLUMN payment_key TEXT NOT NULL DEFAULT ''`
	addPosition   = `ALTER TABLE events ADD COLUMN rowid BIGINT GENERATED ALWAYS AS IDENTITY`
)

// upgradeSQLite adds the columns to a file. Nothing is locked where none is missing.
func upgradeSQLite(ctx context.Context, db *sql.DB) error {
	for _, step := range []struct{ table, column, before, after string }{
		{"checkouts", "payment_key", addPaymentKey, ""},
		// A primary key cannot be added, so the table is made again, with its numbers.
		{"events", "rowid", `ALTER TABLE events RENAME TO events_before`, `INSERT INTO events (rowid,
				event_id, tenant_id, aggregate_id, sequence, type, schema_version, payload, correlation_id, occurred_at, state)
			SELECT rowid, event_id, tenant_id, aggregate_id, sequence, type, schema_version, payload, correlation_id, occurred_at, state
			FROM events_before; DROP TABLE events_before`},
	} {
		if old, err := lacks(ctx, db, step.table, step.column); err != nil || !old {
			if err != nil {
				return err
			}
			continue
		}
		err := records{write: db}.inTx(ctx, func(tx *sql.Tx) error {
			if old, err := lacks(ctx, tx, step.table, step.column); err != nil || !old { // another process was first
				return err
			}
			_, err := tx.ExecContext(ctx, step.before+";\n"+schema+step.after)
			return err
		})
		if err != nil {
			return fmt.Errorf("add the column %s to the table %s of an earlier version: %w", step.column, step.table, err)
		}
	}
	return nil
}

// lacks reports whether there is such a table in a file, without the column.
func lacks(ctx context.Context, db interface {
	QueryRowContext(context.Context, string, ...any) *sql.Row
}, table, column string) (old bool, err error) {
	err = db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM pragma_table_info($1)) AND NOT EXISTS (SELECT 1 FROM pragma_table_info($1) WHERE name = $2)`, table, column).Scan(&old)
	if err != nil {
		return false, fmt.Errorf("read the columns of the table %s: %w", table, err)
	}
	return old, nil
}

// upgradePostgres adds the columns to tables that are there. The caller keeps others
// from doing the same.
func upgradePostgres(ctx context.Context, tx *sql.Tx) error {
	for _, step := range []struct{ table, column, add string }{
		{"checkouts", "payment_key", addPaymentKey},
		{"events", "rowid", addPosition},
	} {
		var there bool
		err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass($1) AND attname = $2 AND NOT attisdropped)`, step.table, step.column).Scan(&there)
		if err == nil && !there {
			_, err = tx.ExecContext(ctx, step.add+";\n"+schemaPostgres)
		}
		if err != nil {
			return fmt.Errorf("add the column %s to the table %s of an earlier version: %w", step.column, step.table, err)
		}
	}
	return nil
}
