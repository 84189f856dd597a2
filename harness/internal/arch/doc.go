// Package arch holds the module to its import rules. It has no code, only tests.
//
// Why the rules exist: a suite that judges other systems is worth what its
// judges are independent of. A check that can touch the target, a scenario that
// knows the reference, a reference that knows the harness: each would let a
// verdict depend on something other than what was observed, and none would show
// in a report. The compiler cannot see it and a reviewer will miss it one day.
//
// The rules, over the direct imports of non-test files:
//
//  1. harness imports the standard library only, and not testing. harness/check
//     imports of ours only harness and harness/stats, does no I/O and reads no
//     clock.
//  2. Adapters (the other folders of harness) import of ours only harness, and
//     of others only the technology they are named after; never each other.
//     harness/rig wires them, and hands fakes/stub to the WireMock adapter.
//  3. scenarios imports of ours only harness, harness/check and harness/stats,
//     and neither testing nor Ginkgo. Its doors (the folders below it) may
//     import those and harness/profile, harness/rig and reports; never
//     reference or fakes.
//  4. reference never imports harness, scenarios or fakes. Only reference/stack
//     composes: it may import fakes and harness/shim, and alone imports
//     reference/mutants.
//  5. fakes import of ours only harness and harness/wire; package fakes joins
//     those below it. reports imports of ours only harness and harness/stats.
//  6. cmd imports neither testing nor Ginkgo. Nothing imports cmd.
//
// Beside the imports, over every file that is not generated: no func init, and
// no time.Sleep, in tests neither. Waiting for a while is never waiting for an
// event.
package arch
