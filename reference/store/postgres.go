package store

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

//go:embed schema_postgres.sql
var schemaPostgres string

const (
	// lastMade is the last name in schema_postgres.sql. The schema is made in one
	// transaction, so where this is, everything is.
	lastMade = "results_stored"

	// schemaLock is held by whoever makes the schema: two that do so at once would
	// fail. The number means nothing.
	schemaLock = 6241019

	// connections is the size of an instance's pool. Sixteen instances stay below
	// the hundred connections that a server takes as it comes.
	connections = 6

	// idleLimit is how long, in milliseconds, a transaction may do nothing. A
	// process that stands still in one would keep others from its records; no
	// caller waits that long for a store.
	idleLimit = "5000"
)

// Postgres is a [checkout.Store] in a PostgreSQL server, which several processes
// may share.
type Postgres struct{ records }

// OpenPostgres opens the database that a dsn names, and makes the tables if there
// are none. Those that the version before made are brought up to date. The server is dialled at its own address unless via names another
// host:port: something that stands in between.
func OpenPostgres(ctx context.Context, dsn, via string) (*Postgres, error) {
	config, err := parsed(dsn)
	if err != nil {
		return nil, err
	}
	if via != "" {
		dialer := &net.Dialer{}
		config.DialFunc = func(ctx context.Context, _, _ string) (net.Conn, error) { return dialer.DialContext(ctx, "tcp", via) }
	}
	// What has been committed is on the disk, whatever the server's default.
	config.RuntimeParams["synchronous_commit"] = "on"
	config.RuntimeParams["idle_in_transaction_session_timeout"] = idleLimit
	// A connection that died in the pool is replaced before anything is asked by it.
	db := stdlib.OpenDB(*config, stdlib.OptionShouldPing(func(context.Context, stdlib.ShouldPingParams) bool { return true }))
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	if err := createPostgres(ctx, db); err != nil {
		return nil, errors.Join(fmt.Errorf("create the tables in PostgreSQL: %w; is the server up, and may this user create tables?", err), db.Close())
	}
	return &Postgres{records{write: db, read: db, script: atOnce}}, nil
}

// parsed reads a dsn, of which an error says nothing: it may hold a password.
func parsed(dsn string) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, errors.New("the store is no PostgreSQL address; it must look like postgres://user:password@host:5432/name")
	}
	for _, other := range config.Fallbacks { // with and without TLS is one server
		if other.Host != config.Host || other.Port != config.Port {
			return nil, errors.New("the store names several PostgreSQL servers; name one")
		}
	}
	return config, nil
}

// createPostgres makes the tables unless they are there: making them again would
// wait for every writer.
func createPostgres(ctx context.Context, db *sql.DB) error {
	ctx, cancel := context.WithTimeout(ctx, createLimit)
	defer cancel()
	return records{write: db}.inTx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1)`, schemaLock); err != nil {
			return err
		}
		var there bool
		err := tx.QueryRowContext(ctx, `SELECT to_regclass($1) IS NOT NULL`, lastMade).Scan(&there)
		switch {
		case err != nil:
			return err
		case there:
			return upgradePostgres(ctx, tx)
		}
		_, err = tx.ExecContext(ctx, schemaPostgres)
		return err
	})
}

// Close closes the connections.
func (p *Postgres) Close() error { return p.write.Close() }

// serverOf returns the host:port of the server that a dsn names, or nothing for
// one behind a socket in a folder.
func serverOf(dsn string) (string, error) {
	config, err := parsed(dsn)
	if err != nil || strings.HasPrefix(config.Host, "/") {
		return "", err
	}
	return net.JoinHostPort(config.Host, strconv.Itoa(int(config.Port))), nil
}
