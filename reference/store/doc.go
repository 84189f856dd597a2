// Package store keeps checkout records, and the results that the gateway may fall
// back to, in SQLite.
//
// The promise "once" rests on three properties of this package, so they are the
// database's own and not ours: one unique constraint over the five parts of a
// key's scope, one insert that either happens or does not, and a commit that has
// reached the disk (WAL with synchronous=FULL) before anybody hears of it.
// Every transaction takes the write lock at its start (BEGIN IMMEDIATE), since a
// reader that wants to become a writer halfway is what SQLite answers with BUSY.
package store
