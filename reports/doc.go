// Package reports turns evidence into files that people and machines read.
//
// Why it is a package of its own: a verdict is decided once, by judging stored
// histories, and must not change on its way to a reader. Renderers therefore
// get an [harness.Evidence] by value, and only count, sort and draw what is in
// it. Nothing here compares an observation with an expectation.
//
// What a reader needs differs. An engineer at night wants the failure, the
// fault that caused it and the command that repeats it; an auditor wants every
// clause, also the ones nobody proved; a CI system wants JUnit; the next script
// wants JSON. All of them are written from the same value by [Write]:
//
//	evidence.json         the evidence itself
//	evidence.schema.json  the JSON Schema of it
//	report.html           one page without network, with a picture of each experiment
//	report.md             the same for a pull request
//	junit.xml             one suite a requirement card
//	created.json          what the run left in the target, for cleanup
//	manifest.json         SHA-256 and size of every file, written last
//
// Two rules hold everywhere. What is not proven is never shown in the shape of
// a pass: a clause whose checks passed but whose verdict is not-verified gets a
// skipped JUnit case of its own. And text from the target is untrusted: it is
// escaped for its place (HTML, Markdown, XML, a terminal) by one function each.
package reports
