// Package auth says who is calling.
//
// Every idempotency key lives inside a tenant and a customer, so a wrong answer
// here turns into somebody else's order being replayed. Identity therefore comes
// only from a signed token: never from a header the caller can write, and before
// anything is looked up. One algorithm is accepted, an expiry is required, and
// the reason of a refusal is kept for the log and out of the answer.
package auth
