// Command fiber serves a small checkout behind the idempotency middleware of
// github.com/gofiber/fiber/v3: the first system under test that nobody here
// wrote.
//
// Why: a suite that has only ever seen its own reference may have grown to fit
// it. This target was written by others, for many, and is known to break some
// promises; expected.tsv says which, and CI compares.
//
// What is theirs and what is ours: everything about keys is the middleware's, as
// it comes. Only the header's name is configured, because its default is
// X-Idempotency-Key and the requirements say Idempotency-Key. Errors go through
// Fiber's own error handler. The handlers around it are as plain as a shop can
// be, and correct without retries: each order that they make is in the ledger
// once, and a stranger is not shown it.
//
// The order of the two middlewares is that of the documentation, which
// configures idempotency once the app is initialised, before anything else:
// a caller is authenticated after the key was looked up. The order is not what
// the findings hang on. The key alone names the stored answer, so one customer
// gets the other's in either order; the test beside this file shows it.
//
// It is a module of its own, so that the suite's does not depend on Fiber.
package main
