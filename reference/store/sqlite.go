package store

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"net/url"
	"time"

	"modernc.org/sqlite" // the driver, written in Go
	sqlite3 "modernc.org/sqlite/lib"
)

//go:embed schema.sql
var schema string

// busyTimeout is how long a process waits for another's transaction, in
// milliseconds. It is shorter than the service's own limit of a store operation.
const busyTimeout = "2500"

// createLimit bounds how long Open waits for other processes that open the same
// new file.
const createLimit = 10 * time.Second

// readers is the size of the pool that reads beside the writer.
const readers = 4

// SQLite is a [checkout.Store] in one file, which several processes may share.
type SQLite struct{ records }

// Open opens the database at path and creates it if there is none. One that the
// version before made is brought up to date.
func Open(ctx context.Context, path string) (*SQLite, error) {
	write, err := open(path, "_txlock", "immediate")
	if err != nil {
		return nil, err
	}
	write.SetMaxOpenConns(1) // SQLite has one writer, so queue here and not there
	if err := create(ctx, write); err != nil {
		return nil, errors.Join(fmt.Errorf("create the tables in %s: %w", path, err), write.Close())
	}
	read, err := open(path, "_pragma", "query_only(1)")
	if err != nil {
		return nil, errors.Join(err, write.Close())
	}
	read.SetMaxOpenConns(readers)
	return &SQLite{records{write: write, read: read, script: (&prepared{db: write, ready: map[string]*sql.Stmt{}}).inTurn}}, nil
}

// create makes the tables. Turning a new file into WAL mode takes a lock for
// which SQLite does not wait, busy timeout or not, so that of several processes
// that start together all but one are told it is busy: they have to ask again.
func create(ctx context.Context, db *sql.DB) error {
	ctx, cancel := context.WithTimeout(ctx, createLimit)
	defer cancel()
	for {
		err := upgradeSQLite(ctx, db)
		if err == nil {
			_, err = db.ExecContext(ctx, schema)
		}
		var refused *sqlite.Error
		if !errors.As(err, &refused) || refused.Code()&0xff != sqlite3.SQLITE_BUSY {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func open(path, option, value string) (*sql.DB, error) {
	options := url.Values{"_pragma": {
		"busy_timeout(" + busyTimeout + ")", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)",
	}}
	options.Add(option, value)
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+options.Encode())
	if err != nil {
		return nil, fmt.Errorf("open the database %s: %w", path, err)
	}
	return db, nil
}

// Close closes the database.
func (s *SQLite) Close() error { return errors.Join(s.read.Close(), s.write.Close()) }
