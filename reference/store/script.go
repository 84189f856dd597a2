package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

// statement is one of several that are carried out in one transaction, under a
// fence. The first of them finds out whether the fence still holds, and all others
// are guarded by it themselves, so that nobody has to wait for the answer of one
// before the next is sent.
type statement struct {
	text   string
	values []any
}

// held is true while the record $1 has the fence $2. One that was lost is never
// held again.
const held = `EXISTS (SELECT 1 FROM checkouts WHERE request_id = $1 AND fence = $2)`

// atOnce carries a script out in PostgreSQL, in one exchange with the server,
// which makes one transaction of what it gets at once.
func atOnce(ctx context.Context, s records, script []statement) error {
	conn, err := s.write.Conn(ctx)
	if err != nil {
		return fmt.Errorf("get a connection: %w", err)
	}
	defer func() { _ = conn.Close() }() // puts it back
	return conn.Raw(func(driver any) error {
		var batch pgx.Batch
		for _, st := range script {
			batch.Queue(st.text, st.values...)
		}
		results := driver.(*stdlib.Conn).Conn().SendBatch(ctx, &batch)
		var first error
		for i := range script {
			tag, err := results.Exec()
			if err := told(i, tag.RowsAffected(), err); err != nil && first == nil {
				first = err
			}
		}
		if err := results.Close(); err != nil && first == nil {
			return fmt.Errorf("commit: %w", err)
		}
		return first
	})
}

// told is what the result of statement i of a script means.
func told(i int, rows int64, err error) error {
	switch {
	case err != nil:
		return fmt.Errorf("statement %d: %w", i+1, err)
	case i == 0 && rows == 0:
		return checkout.ErrFenced
	}
	return nil
}
