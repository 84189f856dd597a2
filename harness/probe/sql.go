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
type SQLProbe struct {
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
	if !reads.MatchString(query) {
		return nil, errors.New("probe effects: the query of effects.sql is no SELECT (nor a WITH that ends in one); the ledger is only read, never changed")
	}
	for _, at := range sinceName.FindAllStringIndex(query, -1) {
		if strings.Count(query[:at[0]], "'")%2 == 1 {
			return nil, errors.New("probe effects: in the query of effects.sql {{since}} stands in quotes, where it would be text; it is bound as a number, so write seq > {{since}}")
		}
	}
	scheme, path, _ := strings.Cut(dsn, ":")
	switch {
	case scheme == "postgres" || scheme == "postgresql":
		return postgres(dsn, query)
	case scheme == "sqlite" && path != "":
		return sqlite(path, query)
	}
	return nil, errors.New("probe effects: the dsn of effects.sql must begin with postgres:// or be sqlite:PATH")
}

// reads matches a query that begins as a reading one does, after comments and
// brackets. What it cannot see, such as a WITH that deletes, the read-only
// transaction refuses.
var reads = regexp.MustCompile(`(?is)^(?:\s+|--[^\n]*(?:\n|$)|/\*.*?\*/|\()*(?:select|with|values|table)\b`)

func postgres(dsn, query string) (*SQLProbe, error) {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		// The parser's own words repeat the dsn, and may repeat its password.
		return nil, errors.New("probe effects: the dsn of effects.sql is no PostgreSQL address; it must look like postgres://user:password@host:5432/name?sslmode=disable")
	}
	// No statement is prepared on the server: behind a pooler the next read may
	// meet another session. One statement a read is still all the protocol takes.
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	return opened(stdlib.OpenDB(*config), fmt.Sprintf("database %s at %s", config.Database, config.Host), query, "$1::bigint"), nil
}

func sqlite(path, query string) (*SQLProbe, error) {
	options := url.Values{"mode": {"ro"}, "_pragma": {"query_only(1)", "busy_timeout(2500)"}}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+options.Encode())
	if err != nil {
		return nil, fmt.Errorf("probe effects: open the database %s: %w", path, err)
	}
	return opened(db, "database "+path, query, "?1"), nil
}

func opened(db *sql.DB, place, query, parameter string) *SQLProbe {
	db.SetMaxOpenConns(2) // the target's database is not ours to crowd
	return &SQLProbe{db: db, place: place, query: sinceName.ReplaceAllLiteralString(query, parameter), bound: sinceName.MatchString(query)}
}

// Close ends the connections.
func (p *SQLProbe) Close() error { return p.db.Close() }

// Effects implements [harness.Probe]. One read takes at most 5 s, in a read-only
// transaction.
func (p *SQLProbe) Effects(ctx context.Context, after int64) ([]harness.Effect, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, readLimit, fmt.Errorf("the read took longer than %v", readLimit))
	defer cancel()
	found, err := p.read(ctx, after)
	if err == nil {
		return found.inOrder(after)
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	return nil, fmt.Errorf("read the ledger from %s: %w", p.place, err)
}

func (p *SQLProbe) read(ctx context.Context, after int64) (found gathered, err error) {
	found.fresh = true // rows have no order of their own
	tx, err := p.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return found, fmt.Errorf("%w; check the dsn of effects.sql, and that the database is up", err)
	}
	defer func() { _ = tx.Rollback() }() // there is nothing to commit
	var arguments []any
	if p.bound {
		arguments = []any{after}
	}
	rows, err := tx.QueryContext(ctx, p.query, arguments...)
	if err != nil {
		return found, fmt.Errorf("the query failed: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	names, err := rows.Columns()
	if err != nil {
		return found, fmt.Errorf("the query gave no columns: %w", err)
	}
	members, err := columns(names)
	if err != nil {
		return found, err
	}
	for rows.Next() {
		object, err := row(rows, members)
		if err != nil {
			return found, fmt.Errorf("row %d: %w", len(found.effects)+1, err)
		}
		if err := found.add(object); err != nil {
			return found, err
		}
	}
	if err := rows.Err(); err != nil {
		return found, fmt.Errorf("the query broke off after %d rows: %w", len(found.effects), err)
	}
	return found, nil
}
