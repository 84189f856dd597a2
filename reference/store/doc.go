// Package store keeps checkout records, and the results that the gateway may fall
// back to, in SQLite or in PostgreSQL.
//
// The promise "once" rests on three properties of this package, so they are the
// database's own and not ours: one unique constraint over the five parts of a
// key's scope, one insert that either happens or does not, and a commit that has
// reached the disk (SQLite: WAL with synchronous=FULL; PostgreSQL:
// synchronous_commit) before anybody hears of it. No transaction waits for
// anything but the database.
//
// In SQLite every transaction takes the write lock at its start (BEGIN IMMEDIATE),
// since a reader that wants to become a writer halfway is what SQLite answers with
// BUSY. In PostgreSQL transactions run side by side, each statement sees what was
// committed before it, and the rows that are written say who is first.
//
// What became of a checkout is told to others by events. The transaction that
// makes a record terminal writes the event, too, so that neither is there without
// the other. Whoever delivers events looks for them by their state: in PostgreSQL
// a number that was given out earlier may be committed later, so going by "greater
// than the last one" skips some. Who only looks, by [Location.Outbox], reads again
// what he has read.
package store
