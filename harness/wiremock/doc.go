// Package wiremock lets a stub answer in place of a dependency, through
// go-wiremock: a real WireMock by URL, or any handler that speaks its admin API.
//
// Why a stub besides the wire: both can answer 503, but a stub is what teams
// already have, with its own journal as a second witness.
//
// A stub server has no idea of cases and exchanges. So the link decides: it
// sends exchange n of a case to the base URL <server>/stub/<id>, and everything
// else to the real dependency, so that the ledger stays true. The id belongs to
// one injection, and with it the mapping and the journal entries.
//
// Fired is the smaller of two counts, the link's and that of the server's own
// journal, so that a route that was taken but never answered by the stub is not
// taken for a fault. A server that does not answer proves nothing: zero.
//
// Lift first removes the route, then waits until the journal has caught up with
// what was already on its way, and only then deletes the mapping: otherwise a
// late exchange would meet a 404 that nobody planned.
//
// What cannot be expressed here: anything but a status. WireMock's own faults
// ignore status and body and come before the commit only; its scenarios are not
// atomic under concurrency. The wire does both exactly. A 1xx cannot be stubbed,
// and 204 and 304 have no body.
//
// go-wiremock knows no context and no timeout. A call to it that outlives its
// context is left behind and ends when the server answers or the process ends.
package wiremock
