// Package guard proves that neither door can be green for nothing. It has no
// code, only tests.
//
// Why it is a package of its own: whether a suite fails when everything was
// skipped shows in its exit code only, so these tests build the doors' own test
// binaries and run them: against a target that offers next to nothing, against
// one that answers nonsense, and against a mutant of the reference.
package guard
