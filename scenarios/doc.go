// Package scenarios is the catalogue: the register of clauses and, as one
// explicit ordered list, the experiments that decide them.
//
// Why the scenarios know no target: a suite that proves only the implementation
// it grew up with proves nothing. A scenario speaks of principals, operations
// and links by the profile's names, compares with its policy and dialect, and
// runs against a process known only by URL. It drives and records; it never
// asserts. What a history means is decided afterwards by the judges in
// harness/check, and the table that joins the two is written out beside each
// scenario, so that a reader sees in one place what is done and what it proves.
//
// A clause passes only if every check listed for it here passes, except checks
// marked as supplements, which go beyond what the register asks and are left
// out where a target lacks the capability they need.
package scenarios
