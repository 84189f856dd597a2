// Package caller sends the attempts of a run: one request, one connection, one
// answer, nothing hidden.
//
// Why not net/http's client: it repeats a request by itself when a reused
// connection dies, even a POST once it carries an Idempotency-Key, and it
// refuses to send the malformed header values that a server has to refuse. A
// tool that counts attempts and tries bad keys can afford neither, so the
// request is written byte by byte here and only the answer is parsed by
// net/http.
package caller
