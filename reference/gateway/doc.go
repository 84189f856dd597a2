// Package gateway is an API operation that is served from a dependency: a read
// of the catalog, and a write to it that may carry an idempotency key.
//
// A dependency that fails must neither hold its caller nor be lied about. So an
// operation ends in one of four ways, decided in this order:
//
//   - The caller is nobody, or no longer somebody: 401, and the dependency hears
//     nothing. This is asked again before anything stored is handed out, since a
//     call may outlast a token.
//   - The dependency answered, whatever it said: its answer is passed on as it
//     is. A stored result never stands in for a 404, or it would hide one.
//   - It failed within the limits of reference/client, and a safe result is
//     stored: that, marked X-Result-Source: fallback, with its age. Safe is what
//     the same owner of the same tenant got for the same request, not too long
//     ago; for a write, what was committed under the same key for the same bytes.
//   - Nothing is stored: 504 DEPENDENCY_TIMEOUT or 503 DEPENDENCY_UNAVAILABLE,
//     which says whether the same call may be made again.
//
// The store of results is a convenience and must not become another dependency
// that hangs: each look has a limit of its own inside that of the operation, and
// is given up even where the driver does not listen.
//
// Retries and fallback sit behind a flag. Switched off there is one attempt and
// no fallback, and the deadline stays.
//
// Nothing that a caller or the dependency sent is logged, measured or traced:
// neither keys, bodies, headers nor the item that was asked for, only the route.
package gateway
