// Package doctor says what of a profile works before anything is proven with it:
// whether the target answers, whether each principal is let in, whether the
// effects can be read, whether dependencies and controls do what is declared.
// And it says what the profile leaves out costs, clause by clause.
//
// Why it exists beside the run: a run refuses to believe what did not prove
// itself, but it says so after minutes and once for each scenario. Whoever
// writes a profile needs the first thing that is wrong, in seconds, with what to
// do about it.
//
// Nothing with an idempotency key is sent unless [Options.Send] is set: without
// it, principals are tried by reading the status of a checkout that does not
// exist or, where no status is declared, by a checkout without key and body,
// which no API can carry out. So a claim that only a real checkout could prove
// is reported as not tried, never as working. With it, controls and operations go
// through the very tries of a run's preflight ([harness.TryClaims]): what works
// here works there.
//
// The package opens nothing itself. What it needs of a target is handed to it
// part by part ([Subject.Open]), so that one part that is broken hides no other.
package doctor
