// Package mutants holds broken variants of the reference: of its checkout, its API
// client and its gateway.
//
// A test suite that has never seen a broken system proves nothing by being
// green. Each [Mutant] is a plausible mistake: it replaces one decision that the
// reference makes through a seam, and names the clauses of the requirements that
// a suite must then report as failed. None of them needs a switch inside the
// reference, and those that are races in real life are made to happen every time.
//
// State that a mutant keeps lives in the closures of one Wrap, so that two
// services that are broken in the same way do not share it.
package mutants
