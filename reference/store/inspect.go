package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/stdlib"
)

// Inspected is a stored record as it stands in the database, for operators
// and auditors: it is read beside the service, by nobody's leave.
type Inspected struct {
	RequestID    string             `json:"requestId"`
	Tenant       string             `json:"tenant"`
	Principal    string             `json:"principal"`
	Operation    string             `json:"operation"`
	Version      string             `json:"version"`
	Key          string             `json:"key"`
	Fingerprint  string             `json:"fingerprint"`
	State        string             `json:"state"`
	Status       int                `json:"status,omitempty"`
	Response     string             `json:"response,omitempty"`
	AttemptCount int                `json:"attemptCount"`
	Attempts     []InspectedAttempt `json:"attempts"`
	UpdatedAt    time.Time          `json:"updatedAt,omitzero"`
	TerminalAt   time.Time          `json:"terminalAt,omitzero"`
	ExpiresAt    time.Time          `json:"expiresAt,omitzero"`
	Unique       []string           `json:"unique"` // the parts of the scope that one unique constraint covers
}

// InspectedAttempt is one call of a dependency.
type InspectedAttempt struct {
	Dependency    string    `json:"dependency"`
	Operation     string    `json:"operation"`
	CorrelationID string    `json:"correlationId"`
	Start         time.Time `json:"start"`
	End           time.Time `json:"end,omitzero"`
}

// Inspect reads one record from the database file at path, which is opened for
// reading only, or returns [checkout.ErrUnknown].
func Inspect(ctx context.Context, path, requestID string) (found Inspected, err error) {
	db, err := fileToRead(path)
	if err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return inspect(ctx, db, requestID, `SELECT group_concat(c.name)
		FROM pragma_index_list('checkouts') AS i, pragma_index_info(i.name) AS c
		WHERE i."unique" = 1 AND i.partial = 0 GROUP BY i.name`)
}

// InspectPostgres reads one record from the database that a dsn names, over a
// connection of its own that may only read, or returns [checkout.ErrUnknown].
func InspectPostgres(ctx context.Context, dsn, requestID string) (found Inspected, err error) {
	db, err := postgresToRead(dsn)
	if err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return inspect(ctx, db, requestID, `SELECT string_agg(a.attname, ',')
		FROM pg_index AS i JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
		WHERE i.indrelid = 'checkouts'::regclass AND i.indisunique AND i.indpred IS NULL GROUP BY i.indexrelid`)
}

func fileToRead(path string) (*sql.DB, error) {
	options := url.Values{"mode": {"ro"}, "_pragma": {"query_only(1)", "busy_timeout(" + busyTimeout + ")"}}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+options.Encode())
	if err != nil {
		return nil, fmt.Errorf("open the database %s to read it: %w", path, err)
	}
	return db, nil
}

func postgresToRead(dsn string) (*sql.DB, error) {
	config, err := parsed(dsn)
	if err != nil {
		return nil, err
	}
	config.RuntimeParams["default_transaction_read_only"] = "on"
	return stdlib.OpenDB(*config), nil
}

// inspect reads a record. The query lists the columns of each unique constraint of
// the checkouts, as the database itself knows them.
func inspect(ctx context.Context, db *sql.DB, requestID, constraints string) (found Inspected, err error) {
	s := records{read: db}
	r, err := s.Load(ctx, requestID)
	if err != nil {
		return found, err
	}
	attempts, err := s.Attempts(ctx, requestID)
	if err != nil {
		return found, err
	}
	unique, err := uniqueParts(ctx, db, constraints)
	if err != nil {
		return found, err
	}
	found = Inspected{
		RequestID: r.RequestID, Tenant: r.Scope.Tenant, Principal: r.Scope.Principal, Operation: r.Scope.Operation,
		Version: r.Scope.Version, Key: r.Scope.Key, Fingerprint: r.Fingerprint, State: string(r.State),
		Status: r.Response.Status, Response: string(r.Response.Body), AttemptCount: r.AttemptCount, Attempts: []InspectedAttempt{},
		UpdatedAt: r.UpdatedAt, TerminalAt: r.TerminalAt, ExpiresAt: r.ExpiresAt, Unique: unique,
	}
	for _, a := range attempts {
		found.Attempts = append(found.Attempts, InspectedAttempt{a.Dependency, a.Operation, a.CorrelationID, a.StartedAt, a.EndedAt})
	}
	return found, nil
}

// uniqueParts returns which of a scope's parts one unique constraint covers, and
// nothing beside them.
func uniqueParts(ctx context.Context, db *sql.DB, constraints string) ([]string, error) {
	rows, err := db.QueryContext(ctx, constraints)
	if err != nil {
		return nil, fmt.Errorf("read the constraints of the store: %w", err)
	}
	defer rows.Close()
	parts := map[string]string{"tenant_id": "tenant", "principal_id": "principal", "operation": "operation", "api_version": "version", "key": "key"}
	widest := []string{}
	for rows.Next() {
		var columns string
		if err := rows.Scan(&columns); err != nil {
			return nil, fmt.Errorf("read a constraint of the store: %w", err)
		}
		names := []string{}
		for column := range strings.SplitSeq(columns, ",") {
			if parts[column] == "" { // about something else
				names = nil
				break
			}
			names = append(names, parts[column])
		}
		if len(names) > len(widest) {
			widest = names
		}
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read the constraints of the store: %w", err)
	}
	return widest, nil
}
