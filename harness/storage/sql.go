package storage

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite" // the driver, written in Go
)

// SQL returns a reader of the one row that a query gives from the database dsn:
// postgres://USER:PASSWORD@HOST/NAME or sqlite:PATH, which is opened read-only.
// {{requestId}} is bound as a text. Columns have the names of a record's members,
// in any case and with or without underscores; attempts and unique hold JSON.
func SQL(dsn, query string) (*Record, error) {
	for _, at := range requestName.FindAllStringIndex(query, -1) {
		if strings.Count(query[:at[0]], "'")%2 == 1 {
			return nil, errors.New("observe.storage.record: in the query {{requestId}} stands in quotes, which bind nothing; it is bound as a text, so write request_id = {{requestId}}")
		}
	}
	scheme, path, _ := strings.Cut(dsn, ":")
	switch {
	case scheme == "postgres" || scheme == "postgresql":
		config, err := pgx.ParseConfig(dsn)
		if err != nil { // the parser's own words may repeat the password
			return nil, errors.New("observe.storage.record: the dsn is no PostgreSQL address; it must look like postgres://user:password@host:5432/name")
		}
		config.DefaultQueryExecMode = pgx.QueryExecModeExec
		return ofDatabase(stdlib.OpenDB(*config), requestName.ReplaceAllLiteralString(query, "$1::text")), nil
	case scheme == "sqlite" && path != "":
		options := url.Values{"mode": {"ro"}, "_pragma": {"query_only(1)", "busy_timeout(2500)"}}
		db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+options.Encode())
		if err != nil {
			return nil, fmt.Errorf("observe.storage.record: open the database %s: %w", path, err)
		}
		return ofDatabase(db, requestName.ReplaceAllLiteralString(query, "?1")), nil
	}
	return nil, errors.New("observe.storage.record: the dsn must begin with postgres:// or be sqlite:PATH")
}

func ofDatabase(db *sql.DB, query string) *Record {
	db.SetMaxOpenConns(2) // the target's database is not ours to crowd
	return &Record{shut: db.Close, way: func(ctx context.Context, requestID string) (record json.RawMessage, err error) {
		tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
		if err != nil {
			return nil, fmt.Errorf("%w; check the dsn of observe.storage.record.sql, and that the database is up", err)
		}
		defer func() { _ = tx.Rollback() }() // there is nothing to commit
		rows, err := tx.QueryContext(ctx, query, requestID)
		if err != nil {
			return nil, fmt.Errorf("the query of observe.storage.record.sql failed: %w", err)
		}
		defer func() { err = errors.Join(err, rows.Close()) }()
		object, err := onlyRow(rows)
		if err != nil {
			return nil, err
		}
		return json.Marshal(object)
	}}
}

// onlyRow reads the one row that there has to be.
func onlyRow(rows *sql.Rows) (map[string]any, error) {
	names, err := rows.Columns()
	if err != nil {
		return nil, fmt.Errorf("the query gave no columns: %w", err)
	}
	if !rows.Next() {
		return nil, errors.Join(errors.New("the query gave no row: there is no such record"), rows.Err())
	}
	values, into := make([]any, len(names)), make([]any, len(names))
	for i := range values {
		into[i] = &values[i]
	}
	if err := rows.Scan(into...); err != nil {
		return nil, fmt.Errorf("read the row: %w", err)
	}
	if rows.Next() {
		return nil, errors.New("the query gave more than one row: one request has one record")
	}
	object := map[string]any{}
	for i, name := range names {
		if member := memberOf(name); member != "" && values[i] != nil {
			object[member] = spelt(member, values[i])
		}
	}
	return object, rows.Err()
}

// memberOf returns the member of a record that a column stands for, or "".
func memberOf(column string) string {
	plain := strings.ToLower(strings.ReplaceAll(column, "_", ""))
	for _, member := range []string{"requestId", "tenant", "principal", "operation", "version", "key", "fingerprint", "state", "status",
		"response", "attemptCount", "attempts", "updatedAt", "terminalAt", "expiresAt", "unique"} {
		if strings.ToLower(member) == plain {
			return member
		}
	}
	return ""
}

// spelt returns a column's value as a record holds it.
func spelt(member string, value any) any {
	switch v := value.(type) {
	case time.Time:
		return v.Format(time.RFC3339Nano)
	case []byte:
		value = string(v)
	}
	if text, ok := value.(string); ok && (member == "attempts" || member == "unique") && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return value
}
