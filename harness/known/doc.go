// Package known reads and writes the list of known failures: what somebody
// answers for, until when, and where it is being worked on.
//
// Why it is strict: the list takes failures out of an exit code, so each line of
// it is a decision about money that somebody made and will have to defend. Every
// member is required, a misspelt one is an error, and an entry as it is
// suggested, with its blanks not filled in, is refused. What the list means for a
// run, and that an entry which no longer fails is a failure itself, is decided in
// package harness.
package known
