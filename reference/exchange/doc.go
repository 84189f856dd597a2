// Package exchange sends one HTTP request once: one attempt, one connection, one
// request on the wire, and an end. It knows no retries and no policy; whoever
// decides about the next attempt (an API client, a relay of events) can count on
// the last one being over.
//
// It is net/http's Transport and what that gets wrong for a request that matters:
//
//   - It sends a request again by itself if a reused connection dies, for every
//     GET and, of all things, for every POST that carries an Idempotency-Key. Here
//     one send gets one connection, and a second one is closed unused.
//   - It dials under a context of its own, so that a dial and its handshake
//     outlive the call. Here both end with the send, and so does the question
//     where the peer is.
//   - Its time limits stop at the headers, or leave out connecting. Here a send
//     has one limit until it is connected and one from there to the last byte of
//     the body, both in wall time.
//   - A body that ends with the connection looks complete wherever it was cut.
//     Here a success of a request with effects must have a length or chunks.
//   - With http.Client it follows redirects, with HTTP/2 it re-sends on GOAWAY, and
//     the environment may send it through a proxy. Here it does none of these.
//   - Its errors quote what the peer sent. Here no text of an error does;
//     errors.Is and errors.As still find the cause. (One line escapes: net/http
//     tells the standard logger when an idle connection receives bytes that nobody
//     asked for, and quotes them. Send that logger where secrets may go, or
//     nowhere.)
//
// When a send has returned, nothing of it is left running.
package exchange
