// Command foreign tests systems that nobody here wrote, and clients, and
// compares what oncecheck says of each with what is known of it.
//
// Why: such a system fails some clauses, rightly, so the run's exit code alone
// says nothing. What has to hold is each single verdict, and the reason for it:
// a failure that vanished is as much a difference as a new one, and a clause
// that fails for another reason than the known one is a finding about us.
//
//	foreign -expected FILE [-out DIR] [-oncecheck BINARY] -- COMMAND ARG...
//	foreign -clients -expected DIR [-out DIR] [-oncecheck BINARY] -- COMMAND...
//
// COMMAND serves the target: it writes its profile, complete and by rename, to
// the file that replaces the argument {profile}, and ends when its input closes.
//
// With -clients each COMMAND, one word, serves the shim of an HTTP client. All
// are tested side by side, since they mostly wait; one of which something could
// not be told for that is tested once more, alone. What is known of one is in
// DIR/NAME.tsv, where NAME is that of the command's file; its evidence goes to
// NAME below the folder of -out, and what the test printed to NAME.log.
//
// A file holds a line for each known verdict: the id of a clause or an
// invariant, the verdict, and a part of the reason, with tabs between. The part
// has to be in the reason of the clause, or of one of its checks with that
// verdict; an id may have several lines. What has no line has to be
// not-verified. A clause that fails has to show events of its history.
//
// Exit: 0 everything is as expected, 1 something differs, 2 it could not be told.
package main
