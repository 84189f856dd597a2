// Package probe reads the effects of a target, and its events, from where they are
// recorded.
//
// Why it looks like this: whether money moved twice is not for the target's
// answers to say. The probe asks the ledger, and since every verdict on effects
// rests on it, it would rather fail than guess. An answer that is not JSON, an
// entry without an identity, a number that is not whole, an expression that ends
// in an error: each is an error of the read, which makes the verdict
// inconclusive. An empty ledger is believed only since the positive control has
// seen the same probe show one and two.
//
// A ledger is read over HTTP with a jq expression, from PostgreSQL or SQLite in
// a read-only transaction, or from what a program prints. All three end in the
// same entries and the same errors, take at most 5 s a read, and cannot change
// what they read.
//
// An outbox is read in the same three ways. Its entries change and may go, so each
// has to bring the number by which it is known.
//
// Amounts and sequence numbers are integers of 64 bits all the way: nothing
// passes through a float.
package probe
