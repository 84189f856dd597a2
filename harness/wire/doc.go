// Package wire is an HTTP/1.1-aware intermediary that cuts exchanges at exact
// points and journals every one of them.
//
// Why not a general proxy: whether a payment happened twice is decided by which
// exchange was cut, and where. "The first charge of this checkout was committed
// and its answer lost" and "was lost before it was sent" look the same to the
// caller and differ in the ledger; a fault that hits by time, by chance or by
// connection cannot tell them apart. So a [Link] reads a request in full,
// attributes it to a case, counts it within that case, and only then matches it
// against the armed faults. And it never adds an exchange of its own: each
// request goes upstream once, on a connection of its own, since an intermediary
// that silently sends again would be blamed on the target.
//
// Why not net/http: its client refuses or rewrites header values that a test of
// idempotency keys has to send, repeats requests by itself when a connection
// dies, and cannot stop after a status line. Heads are therefore parsed and
// forwarded as raw bytes. Only what belongs to one hop changes: Connection and
// what it names, framing (a chunked body is sent on with its length, trailers
// are dropped), Expect (answered here), Host (the upstream's), and the case
// header.
//
// Things to know:
//   - A request that did not arrive in full is no exchange and is not journaled:
//     the upstream cannot have seen it.
//   - A caller that sends FIN has left, even if it could still read. Its upstream
//     exchange goes on to the end and is journaled as peer-left.
//   - With Config.PassHangUp, which the client link has, the upstream sees what its
//     caller did: who leaves while an exchange is under way takes the connection to
//     the upstream with him, and of a request that breaks off in its body the
//     upstream gets what there was. The first is journaled as peer-left, without an
//     answer, the second as part. An upstream is left alone only by a caller who
//     leaves; what a fault does to the caller stays between the two.
//   - A link may have several doors ([Link.OpenDoor]), one for each instance of an
//     upstream. They are one link to faults, counts and meetings.
//   - One fault acts on an exchange, the one armed first. A fault that meets its
//     exchange but cannot act there (a cut after more body bytes than the answer
//     has, a commit that never came because the upstream failed) did not fire.
//   - truncate(n) at body@m lets m+n bytes of the body through.
//   - Lifting a stall releases it; a delay that began runs its time.
package wire
