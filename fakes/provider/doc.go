// Package provider is the outside world of a shop: a payment provider, a bank, an
// inventory, an order system and a catalog in one memory, with an append-only
// ledger of what really happened.
//
// Why a ledger: a fault before the commit and a fault after it look the same to
// the caller. Only the side that committed can tell them apart, so every
// mutating request that takes effect leaves exactly one [Entry], and nothing
// else does.
//
// Effects, remembered answers and ledger entries change together under one
// mutex. Whoever reads the ledger therefore never sees half of an effect, and
// concurrent requests with one key cannot both find it unused.
//
// Each mutating endpoint but those of the bank is idempotent by the
// Idempotency-Key header, within its route:
//
//   - same key, same path and body: the first answer again, no new entry
//   - same key, another path or body: 409 idempotency_conflict
//   - no key: executes each time
//
// A request that is refused as malformed does not use up its key; a declined
// charge does, as with a real provider.
//
// Voiding, refunding, capturing and releasing are in addition idempotent by the thing they
// act on. Their entries carry the id of that thing, so that an undone effect
// can be paired with what it undoes.
package provider
