// Package conform is the door to the catalogue for repositories that test with
// the standard library: one subtest for each scenario.
//
// Why so little is asked of a foreign repository: a profile says everything
// that is known of a target, so a test is the path of a file. What is proven is
// the same as on the command line, by the same judges, with the same evidence.
//
// A scenario whose capability the profile does not offer is skipped with the
// reason; one that failed or stayed inconclusive is an error with all that is
// needed to mend it; and a test in which no scenario passed fails, although
// go test alone would be content. Subtests run side by side, as many as
// -parallel allows, after those that disturb the target for everybody.
//
// A profile that says fake: provider needs the fakes, which this package must
// not know, in one line more: Target{Profile: ..., Fakes: fakes.New}. One run at
// a time listens where a target calls, so tests of one profile take turns; those
// in two packages do with go test -p 1.
//
// Select with -run, by scenario id:
//
//	go test -run 'TestRetries/idempotency/replay-success'
package conform
