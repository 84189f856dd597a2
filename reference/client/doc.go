// Package client calls dependencies that may be slow, busy or gone.
//
// A retry is only safe if the peer cannot act twice, and only useful if the next
// attempt may succeed. So this client sends the same method, address, header
// lines and bytes on every attempt, refuses to repeat a call that is neither
// idempotent nor has a key, and repeats nothing that its [Seams.Classify] does
// not name. It is net/http's Transport and a small policy around it; what it adds
// is what the Transport alone gets wrong for a call that matters:
//
//   - It sends a request again by itself if a reused connection dies, for every
//     GET and, of all things, for every POST that carries an Idempotency-Key. Here
//     one attempt gets one connection, and a second one is closed unused.
//   - It dials under a context of its own, so that a dial and its handshake
//     outlive the call. Here both end with the attempt.
//   - Its time limits stop at the headers, or leave out connecting. Here an
//     attempt has one limit until it is connected and one from there to the last
//     byte of the body, both in wall time, and the call has a deadline over
//     everything. The deadline is decided by the clock: under load a timer may
//     fire late, and ctx.Err() is then still nil.
//   - A body that ends with the connection looks complete wherever it was cut.
//     Here a success of a call with effects must have a length or chunks.
//   - With http.Client it follows redirects, with HTTP/2 it re-sends on GOAWAY, and
//     the environment may send it through a proxy. Here it does none of these.
//   - Its errors quote what the peer sent, and those of net/url quote the URL.
//     Here no text of an error does; errors.Is and errors.As still find the cause.
//     (One line escapes: net/http tells the standard logger when an idle connection
//     receives bytes that nobody asked for, and quotes them. Send that logger
//     where secrets may go, or nowhere.)
//
// An answer of 429 or 5xx is taken by its status and headers alone. Nobody will
// see its body, so nobody waits for it, and its connection is closed with it.
// When nothing is left to do, nothing is left running.
//
// A call ends in one of three ways: the peer's answer, unchanged, whatever it
// says; an [*Error] with a code for those who asked; or the same with
// [Error.Cancelled], which is neither a success nor a failure of the peer. What
// the caller must not lose is doubt. An Error therefore says whether any attempt
// may have been executed ([Error.Unknown]) and whether the same call may be made
// again ([Error.Retryable]): "it failed" and "nobody knows" lead to different next
// steps, and only one of them may charge a card again.
//
// There must be no second loop around a Client: three attempts of three are nine.
package client
