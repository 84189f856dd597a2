// Package rig turns a profile into an opened target: it opens the links, points
// the target's dependencies at them, and picks the adapters.
//
// Why one place: adapters know one technology each and nothing of one another.
// Somebody has to know all of them, and this is the only package that does.
//
// A rig is what must be undone. Everything it opens ends with [Rig.Close]; what
// lives in the target, such as attached dependencies, is held under a lease, so
// that it reverts even if this process dies.
//
//	caller ── client link ──> target ── payment|inventory|orders ──> upstream | fake | stubs
//	   └── toxiproxy ──┘        │               └── stub (WireMock)
//	                            └── delivery ──> sink
//
//	shim ──> client ──> peer        target ── gateway's dependency ──> peer
//
// A client under test is called through its shim, which says what it can; what it
// calls are peers that follow a script. A profile may declare nothing else.
//
// A target that cannot be told whom to call calls the addresses that its profile
// declares, and we listen there; one with a supervisor is attached. The faults
// are the same in both.
//
// Before anything is opened, OPTIONS * shows whether the target can be tried at
// all: trusted TLS, and HTTP/1.1, into whose bytes faults are cut.
package rig
