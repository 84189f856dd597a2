package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

// records is a [checkout.Store] in either database. The statements are the same
// for both; what differs is how they are reached and their schema.
type records struct {
	write, read *sql.DB
	script      func(context.Context, records, []statement) error // how several are carried out
}

var _ checkout.Store = records{}

// inTx runs f in one transaction. SQLite lets no other one begin meanwhile.
// PostgreSQL shows each statement what has been committed before it, and lets two
// writers of one row wait for each other: f must not conclude from what it read
// that a later statement will find the same.
func (s records) inTx(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	if err := f(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// carryOut carries a script out, or returns [checkout.ErrFenced] and does nothing.
func (s records) carryOut(ctx context.Context, script []statement) error {
	return s.script(ctx, s, script)
}

// placeholders returns "$1, $2, ..." for n values.
func placeholders(n int) string {
	var text strings.Builder
	for i := range n {
		if i > 0 {
			text.WriteString(", ")
		}
		text.WriteString("$" + strconv.Itoa(i+1))
	}
	return text.String()
}

// changed returns how many rows a statement changed.
func changed(result sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	n, err := result.RowsAffected()
	if err != nil {
		return 0, fmt.Errorf("count the rows: %w", err)
	}
	return n, nil
}

// fenced turns "no row had that fence" into [checkout.ErrFenced].
func fenced(result sql.Result, err error) error {
	n, err := changed(result, err)
	switch {
	case err != nil:
		return fmt.Errorf("update: %w", err)
	case n == 0:
		return checkout.ErrFenced
	}
	return nil
}
