// Package peer plays a dependency that follows a script, at the level of the
// socket, and records what a client under test does to it.
//
// Why sockets and no HTTP server: most of what a client has to survive is no
// HTTP. A handshake that never ends, a body that breaks off in the middle, an
// answer that is not HTTP: a server that frames answers by itself cannot send
// them, and hides what a judge asks for, the order and spelling of header lines
// and the moment in which the caller's socket went away.
//
// [New] returns peers that have an address each, so that a door can be shut, and
// so that a connection belongs to one case for certain. [Listen] returns peers
// that share one address, for targets that know only one address of their
// dependency: there the item in the request's path says whose request it is.
//
// What the records mean:
//
//   - A call is recorded once its exchange is over. Started is when the request
//     had been read in full, Ended just before what ended it went out: the next
//     attempt of the caller cannot have begun before. Answers is the SHA-256 of a
//     body that was sent in full.
//   - A request that never came in full is no call. The record of its connection
//     says in Problem what came of it, as it does with a failed handshake.
//   - Closed is when the caller's end of the connection was seen to close. A peer
//     that ends a connection itself with FIN goes on looking for that, so that a
//     caller that keeps its end open is seen. By says who ended it first.
//   - Behind a door that is about names a peer is called by one, which only the
//     resolver of this run knows. Of a name that it keeps to itself the knocks are
//     questions: two of each lookup, for both kinds of address.
//   - At a shared address a connection may outlive a case that used it. When the
//     case ends, an idle one is recorded as closed by the peer, and stays open
//     for the others; one on which a request of the case is still unanswered is
//     closed.
//
// What a script means where [harness.Script] leaves room:
//
//   - A script without steps answers every request with a plain 200.
//   - A break in the middle needs something to break: a step without a body gets
//     one of 1 KiB. Where an answer has no body (to HEAD, 204, 304), its head
//     breaks off before the empty line that ends it.
//   - Header lines of the step are sent as they are. One that frames the body, as
//     Content-Length does, takes the place of ours.
package peer
