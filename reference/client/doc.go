// Package client calls dependencies that may be slow, busy or gone.
//
// A retry is only safe if the peer cannot act twice, and only useful if the next
// attempt may succeed. So this client sends the same method, address, header
// lines and bytes on every attempt, refuses to repeat a call that is neither
// idempotent nor has a key, and repeats nothing that its [Config.Classify] does
// not name. It is a small policy and nothing else: how one attempt is sent, with
// nothing repeated behind our back and nothing left running, is in package
// exchange. Whoever takes this client along takes both, and package telemetry for
// what is seen of it.
//
//   - An attempt has one limit until it is connected and one from there to the
//     last byte of the body; the call has a deadline over all attempts and waits.
//     The smallest that remains wins, and a caller who has less time counts.
//   - The deadline is decided by the clock: under load a timer may fire late, and
//     ctx.Err() is then still nil.
//   - Waits grow, with jitter. What the peer asks for is a floor; a wait that does
//     not fit before the deadline is not begun, and never shortened.
//   - A caller who leaves ends the call at once, in a sleep as in a read. That is
//     no timeout, no failure of the peer, and no reason to try again.
//   - An answer of 429 or 5xx is taken by its status and headers alone. Nobody will
//     see its body, so nobody waits for it.
//   - No text of an error holds what the peer sent, a path or a query.
//
// A call ends in one of three ways: the peer's answer, unchanged, whatever it
// says; an [*Error] with a code for those who asked; or the same with
// [CodeCancelled], which is neither a success nor a failure of the peer. What the
// caller must not lose is doubt. An Error therefore says whether any attempt may
// have been executed ([Error.Unknown]) and whether the same call may be made again
// ([Error.Retryable]): "it failed" and "nobody knows" lead to different next steps,
// and only one of them may charge a card again.
//
// There must be no second loop around a Client: three attempts of three are nine.
package client
