package store

import (
	"context"
	"errors"
	"strings"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

// DB is an open store, in either database.
type DB interface {
	checkout.Store
	// Results returns the store of results in the same database.
	Results() Results
	Close() error
}

// Location says where a store is. Exactly one of its members is set.
type Location struct {
	File string // of SQLite
	dsn  string // of PostgreSQL; not exported, since it may hold a password
}

// Locate reads the name of a store: sqlite:PATH, postgres:DSN, or a dsn that begins
// with postgres:// by itself. Errors do not repeat the name.
func Locate(name string) (Location, error) {
	if path, ok := strings.CutPrefix(name, "sqlite:"); ok && path != "" {
		return Location{File: path}, nil
	}
	scheme, dsn, _ := strings.Cut(name, ":")
	if scheme != "postgres" && scheme != "postgresql" || dsn == "" {
		return Location{}, errors.New("the store has to be of the form sqlite:PATH or postgres:DSN")
	}
	if strings.HasPrefix(dsn, "//") {
		dsn = name
	}
	_, err := parsed(dsn)
	return Location{dsn: dsn}, err
}

// Server returns the host:port at which the store is reached, or nothing where it
// is reached through files.
func (l Location) Server() (string, error) {
	if l.File != "" {
		return "", nil
	}
	return serverOf(l.dsn)
}

// Open opens the store. Where via is not empty, its server is dialled there.
func (l Location) Open(ctx context.Context, via string) (DB, error) {
	if l.File != "" {
		return Open(ctx, l.File)
	}
	return OpenPostgres(ctx, l.dsn, via)
}

// Inspect reads one record beside whoever serves it, or returns
// [checkout.ErrUnknown].
func (l Location) Inspect(ctx context.Context, requestID string) (Inspected, error) {
	if l.File != "" {
		return Inspect(ctx, l.File, requestID)
	}
	return InspectPostgres(ctx, l.dsn, requestID)
}
