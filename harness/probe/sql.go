package probe

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite" // the driver, written in Go

	"github.com/oncecheck/oncecheck/harness"
)

// SQLProbe reads a ledger from a database. It is safe for concurrent use.
type SQLProbe struct{ sqlSource }

// sqlSource is a query of a database.
type sqlSource struct {
	form
	db    *sql.DB
	place string // the database as an error may name it, without credentials
	query string // with the database's own parameter in the place of {{since}}
	bound bool   // the query has that parameter
}

var _ harness.Probe = (*SQLProbe)(nil)

// SQL returns a probe that reads the rows of query from the database dsn:
// postgres://USER:PASSWORD@HOST/NAME or sqlite:PATH, which is opened read-only.
// Nothing is connected to before the first read; [SQLProbe.Close] ends it.
//
// The query is one SELECT. Its columns are found by name, in any case and
// order: seq, kind and id must be there; key, reference, correlation_id or
// correlationId, amount, currency and at may be. {{since}} is bound as a
// parameter: the last sequence number already seen. Without it the query
// returns all rows each time.
func SQL(dsn, query string) (*SQLProbe, error) {
	from, err := bySQL(ledger(), dsn, query)
	if err != nil {
		return nil, err
	}
	return &SQLProbe{from}, nil
}

func bySQL(f form, dsn, query string) (from sqlSource, err error) {
	if !reads.MatchString(query) {
		return from, fmt.Errorf("probe %s: the query of %s.sql is no SELECT (nor a WITH that ends in one); %s is only read, never changed", f.key, f.key, f.name)
	}
	for _, at := range sinceName.FindAllStringIndex(query, -1) {
		if strings.Count(query[:at[0]], "'")%2 == 1 {
			return from, fmt.Errorf("probe %s: in the query of %s.sql {{since}} stands in quotes, where it would be text; it is bound as a number, so write %s > {{since}}", f.key, f.key, f.cursor)
		}
	}
	scheme, path, _ := strings.Cut(dsn, ":")
	switch {
	case scheme == "postgres" || scheme == "postgresql":
		return f.postgres(dsn, query)
	case scheme == "sqlite" && path != "":
		return f.sqlite(path, query)
	}
	return from, fmt.Errorf("probe %s: the dsn of %s.sql must begin with postgres:// or be sqlite:PATH", f.key, f.key)
}

// reads matches a query that begins as a reading one does, after comments and
// brackets. What it cannot see, such as a WITH that deletes, the read-only
// transaction refuses.
var reads = regexp.MustCompile(`(?is)^(?:\s+|--[^\n]*(?:\n|$)|/\*.*?\*/|\()*(?:select|with|values|table)\b`)

func (f form) postgres(dsn, query string) (sqlSource, error) {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		// The parser's own words repeat the dsn, and may repeat its password.
		return sqlSource{}, fmt.Errorf("probe %s: the dsn of %s.sql is no PostgreSQL address; it must look like postgres://user:password@host:5432/name?sslmode=disable", f.key, f.key)
	}
	// No statement is prepared on the server: behind a pooler the next read may
	// meet another session. One statement a read is still all the protocol takes.
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	return f.opened(stdlib.OpenDB(*config), fmt.Sprintf("database %s at %s", config.Database, config.Host), query, "$1::bigint"), nil
}

func (f form) sqlite(path, query string) (sqlSource, error) {
	options := url.Values{"mode": {"ro"}, "_pragma": {"query_only(1)", "busy_timeout(2500)"}}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+options.Encode())
	if err != nil {
		return sqlSource{}, fmt.Errorf("probe %s: open the database %s: %w", f.key, path, err)
	}
	return f.opened(db, "database "+path, query, "?1"), nil
}

func (f form) opened(db *sql.DB, place, query, parameter string) sqlSource {
	db.SetMaxOpenConns(2) // the target's database is not ours to crowd
	return sqlSource{form: f, db: db, place: place, query: sinceName.ReplaceAllLiteralString(query, parameter), bound: sinceName.MatchString(query)}
}

// Close ends the connections.
func (p sqlSource) Close() error { return p.db.Close() }

// Effects implements [harness.Probe]. One read takes at most 5 s, in a read-only
// transaction.
func (p *SQLProbe) Effects(ctx context.Context, after int64) ([]harness.Effect, error) {
	return gather(ctx, p.sqlSource, effects(), after)
}

// fresh implements [source]: rows have no order of their own.
func (p sqlSource) fresh() bool { return true }

func (p sqlSource) read(ctx context.Context, after int64, found sink) error {
	ctx, cancel := context.WithTimeoutCause(ctx, readLimit, fmt.Errorf("the read took longer than %v", readLimit))
	defer cancel()
	err := p.rows(ctx, after, found)
	if err == nil {
		err = found.finish()
	} else if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if err != nil {
		return fmt.Errorf("read %s from %s: %w", p.name, p.place, err)
	}
	return nil
}

func (p sqlSource) rows(ctx context.Context, after int64, found sink) (err error) {
	tx, err := p.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return fmt.Errorf("%w; check the dsn of %s.sql, and that the database is up", err, p.key)
	}
	defer func() { _ = tx.Rollback() }() // there is nothing to commit
	var arguments []any
	if p.bound {
		arguments = []any{after}
	}
	rows, err := tx.QueryContext(ctx, p.query, arguments...)
	if err != nil {
		return fmt.Errorf("the query failed: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	names, err := rows.Columns()
	if err != nil {
		return fmt.Errorf("the query gave no columns: %w", err)
	}
	members, err := p.columns(names)
	if err != nil {
		return err
	}
	for rows.Next() {
		object, err := p.row(rows, members)
		if err != nil {
			return fmt.Errorf("row %d: %w", found.count()+1, err)
		}
		if err := found.add(object); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("the query broke off after %d rows: %w", found.count(), err)
	}
	return nil
}
