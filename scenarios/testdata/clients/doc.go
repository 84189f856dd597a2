// Package clients holds HTTP clients that nobody here wrote, each behind a shim
// of its own: net/http as it comes with Go, and go-retryablehttp of HashiCorp.
//
// Why: a suite that has only ever seen its own client may have grown to fit it.
// These two are used by many and known to differ from the requirements; the
// files in expected say in what, and CI compares.
//
// What is theirs and what is ours: a shim hands a call over and what came of it
// back. It adds no limit, no header and no error of its own, and repairs
// nothing. Only the limit of ten seconds is configured, because neither client
// has one by itself. net/http declares that limit, and that it does not retry;
// go-retryablehttp declares nothing, so that each of its numbers is judged by
// what is seen on the wire and not by what it says of itself.
//
// It is a module of its own, so that the suite's does not depend on the clients.
package clients
