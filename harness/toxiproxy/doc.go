// Package toxiproxy carries out faults of a TCP connection with Shopify's
// toxiproxy, in this process or in one that runs elsewhere on this machine.
//
// Why besides the wire: the wire acts on requests and is our own. A toxic acts
// on bytes and is what other teams already run, so a finding made here can be
// repeated with their tools.
//
// Every injection gets a listener of its own, [harness.Injection.Via], and what
// comes through it belongs to the case. Listeners are reused once all their
// connections have ended.
//
//	caller -> toxiproxy (toxic) -> relay (counts) -> the link
//
// Why the relay: toxiproxy does not tell whether a toxic acted. The relay sees
// what enters the toxic and when toxiproxy tears a connection down, so that
// Fired counts connections that the toxic really had in hand:
//
//   - latency(d): once bytes of an answer entered the toxic. They reach the
//     caller d later, or at the lift.
//   - reset, reset(d): once the connection was torn down no earlier than d after
//     the first byte of the answer entered the toxic. A caller that leaves
//     before does not count.
//
// What reset means to an HTTP exchange, measured: the request passes and is
// committed upstream. The first byte of the answer triggers the toxic, which
// drops it, waits d, and sends RST to the caller. So it is an after-commit fault
// of the first answer on a connection; a 100 Continue counts as that answer.
//
// What cannot be expressed here, and is refused or must be left to the wire:
//
//   - an index or an operation: a toxic sees connections, not requests
//   - a fault before the commit: reset acts on the answer only
//   - a reset of a later answer of a kept-alive connection
//   - a connect timeout: toxiproxy accepts before it dials
//   - half-close and RST of the link itself: both arrive as a plain close
//   - less than a millisecond
//
// A reset that began to wait cannot be lifted: Lift returns when it is over or
// when its context ends, whichever is first. A caller must not dial an address
// whose fault was lifted, since the next fault may own it by then.
package toxiproxy
