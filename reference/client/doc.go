// Package client calls dependencies that may be slow, busy or gone.
//
// A retry is only safe if the peer cannot act twice, and only useful if the next
// attempt may succeed. So this client sends the same key, correlation id and
// bytes on every attempt, refuses to repeat a mutating call that has no key, and
// repeats nothing that its [Classifier] does not name. Three habits of net/http
// would break that and are switched off: silent re-sending on reused connections
// (it even picks out requests that carry an Idempotency-Key), redirects, and
// time limits that do not cover the body.
//
// What the caller must not lose is doubt. An [Error] therefore says whether any
// attempt may have been executed by the peer ([Error.Unknown]): "it failed" and
// "nobody knows" lead to different next steps, and only one of them may charge a
// card again.
package client
