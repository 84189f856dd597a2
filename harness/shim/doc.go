// Package shim lets an HTTP client in any language be tested.
//
// What a resilience client does can only be judged from outside: how many
// requests reach the wire, when, and what its caller gets back. So somebody has
// to make it call on demand. That is the shim, a small server on loopback in the
// client's own process: one endpoint says what the client is, one makes a call.
// The shim counts nothing and judges nothing; a scripted peer at the other end of
// the wire counts the attempts.
//
// # Protocol, version 1
//
// HTTP/1.1 with JSON bodies. Anything but a 2xx answer means that the shim itself
// failed. It is never taken for an outcome of the client.
//
//	GET  /v1/info      Info: who the client is, what it declares, what the shim can do
//	POST /v1/call      Call in, Result out: exactly one call of the client
//	POST /v1/fallback  optional: Seed in, a result that is safe to fall back to
//	POST /v1/reset     optional: forget connections, stored results, open circuits
//	POST /v1/trust     optional: {"caPem": "..."}, an authority to trust from now on
//	POST /v1/resolver  optional: {"address": "host:port"}, whom to ask for names from now on (DNS over UDP)
//	GET  /v1/stats     optional: {"sockets": n}, sockets that the client holds
//	GET  /v1/logs      optional: what the client logged, as text
//	GET  /v1/metrics   optional: what it measured, in Prometheus text form
//
// Capabilities in the info name what is offered: cancel, fresh-client,
// socket-stats (stats), tls-trust (trust), resolver, declared-policy (the policy is
// complete), idempotency-key, fallback-seed (fallback), logs, metrics.
//
// A call's deadlineMs is the deadline of whoever calls the client. With
// cancelAfterMs the caller cancels that long after the start: 0 never, negative
// before the call begins. With fresh the call is made by a client that has made
// no other. A client that panics has an outcome, an error with code PANIC: a
// caller of it would have had that too.
//
// Open gives the harness such a client. Handler is the other half: it makes a
// shim of any Go client that implements Caller. Serve serves that as a command
// which oncecheck client starts, and Dials counts the sockets of a client whose
// dials can be wrapped.
package shim
