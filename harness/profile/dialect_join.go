package profile

import "github.com/oncecheck/oncecheck/harness"

// joining is the dialect of the requirements but for duplicates in progress: they
// wait and get the winner's answer, as behind a lock for each key.
//
// Source: the idempotency middleware of Fiber, which works so,
// https://docs.gofiber.io/middleware/idempotency as read on 30 November 2026,
// and its source. From public documentation, not verified live. What else that
// middleware does differently is for a profile to say.
func joining() harness.Dialect {
	d := srs()
	d.Name = "join"
	d.InProgress = harness.InProgress{Mode: "wait"}
	d.Precedence = "in-progress" // another body waits for the lock too
	return d
}
