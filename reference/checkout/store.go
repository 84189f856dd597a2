package checkout

import (
	"context"
	"errors"
	"time"
)

var (
	// ErrUnknown says that no record has that id.
	ErrUnknown = errors.New("no such checkout")
	// ErrHeld says that somebody else holds the record, or that it needs no work.
	ErrHeld = errors.New("checkout is held by another worker or needs none")
	// ErrExpired says that the key was used and its record is past its retention.
	ErrExpired = errors.New("the key was used for a checkout that is past its retention")
	// ErrCancelled says that another cancellation of the checkout exists that has
	// not failed.
	ErrCancelled = errors.New("the checkout is cancelled, or about to be, by another request")
	// ErrFenced says that another worker has claimed the record since.
	ErrFenced = errors.New("checkout was claimed by another worker")
)

// Store keeps records. What a method without an error has written is durable
// when it returns; after an error of a writing method nobody knows.
type Store interface {
	// Reserve inserts r unless its Scope exists, atomically, and returns the
	// record that the store now holds and whether that is r. If the record of that
	// Scope has expired by r.CreatedAt, whether it was purged or not: [ErrExpired].
	// Of the cancellations of one checkout that have not failed the store holds one
	// at most: [ErrCancelled].
	Reserve(ctx context.Context, r Record) (stored Record, created bool, err error)

	// Load returns the record with that request id, or [ErrUnknown].
	Load(ctx context.Context, requestID string) (Record, error)

	// Cancellation returns the record that cancels the checkout with that request
	// id, unless it failed, or [ErrUnknown].
	Cancellation(ctx context.Context, requestID string) (Record, error)

	// Claim takes the lease until the given time and raises the fence, if no
	// lease is live and the record is due or FAILED_RETRYABLE. It starts a new
	// run, except where a worker died in the middle of one. Otherwise [ErrHeld].
	Claim(ctx context.Context, requestID string, now, until time.Time) (Record, error)

	// Wake makes the record with that payment key due by now if it is PARKED,
	// leaves it alone otherwise, and returns it as it is then, or [ErrUnknown].
	Wake(ctx context.Context, paymentKey string, now time.Time) (Record, error)

	// Extend prolongs the lease, or returns [ErrFenced].
	Extend(ctx context.Context, requestID string, fence int64, until time.Time) error

	// Save writes what changes in the life of r, the given attempts and, if there is
	// one, r.Event with the next sequence of its aggregate, in one transaction under
	// r.Fence, or returns [ErrFenced]. An event that is there is not written again.
	// The lease and DueAt are left alone while r.Lock is IN_PROGRESS; any other lock
	// gives the lease up.
	Save(ctx context.Context, r Record, attempts ...Attempt) error

	// Attempts returns the attempts of a record in the order they began.
	Attempts(ctx context.Context, requestID string) ([]Attempt, error)

	// Purge replaces up to limit records that are terminal, need no work and have
	// expired by now by tombstones, which hold their Scopes and nothing of their
	// content, and returns how many. A checkout stays as long as its cancellation.
	Purge(ctx context.Context, now time.Time, limit int) (int, error)

	// Due returns up to limit request ids whose DueAt has come, the oldest first.
	Due(ctx context.Context, now time.Time, limit int) ([]string, error)
}
