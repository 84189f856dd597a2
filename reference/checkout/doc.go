// Package checkout is a checkout API that may be retried.
//
// A client that hears nothing does not know whether it was charged, so it will
// ask again, and so will its proxy and its user. The service therefore treats
// the record of a request as the thing that matters and the HTTP exchange as a
// way to look at it:
//
//   - A record is reserved, by one atomic insert under a unique key, before
//     anything happens. No record, no side effect.
//   - Work goes through three steps: reserve stock, charge the card, create the
//     order. Each attempt is written down before it is made, and each result
//     before the next step. A crash at any point leaves a record that says how
//     far things got, and any worker can carry on from there ([Service.Run]).
//   - Every provider key is derived from the request id, so a step that is
//     repeated, by whomever, is the same step to the provider.
//   - Doubt is a state, not an error. If a call may have been executed and nobody
//     said so, the record stays PENDING and payment is asked before it is charged
//     again.
//   - What the payment provider tells by a webhook is a reason to look, and no
//     outcome: whoever holds the record asks, and completes.
//   - A cancellation is a request like any other, with a key and a record of its
//     own. It undoes what a checkout did and leaves the checkout's record alone,
//     whose replays tell what was.
//   - A record is kept for a day from its end. What is left of it then says that
//     its key was used, and no more: a retry that late is refused, since nobody
//     could tell whether it had been charged. What is open is kept, and so is the
//     checkout of a cancellation that is.
//   - Whoever works on a record holds a lease with a fencing token. One that was
//     slow, paused or presumed dead can no longer write.
//
// Only terminal outcomes are stored as answers and repeated byte for byte.
//
// What may reasonably be implemented wrongly is a function or an interface in
// [Config], with the right implementation as its default. That keeps the rest of
// the package free of switches and lets a test suite prove that it would notice.
package checkout
