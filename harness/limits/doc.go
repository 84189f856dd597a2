// Package limits keeps a run within the load that its target bears: so many
// requests per second, in flight at once, and in all.
//
// Why it stands around the sender and not in the scenarios: whatever sends,
// a scenario, a barrier or the engine that resolves an unknown outcome, goes the
// same way and is counted once. And why letting through and sending are two
// steps: a request that waits for its turn must not be one that the target is
// slow with, and callers of one barrier must all be through before any of them
// connects, or they would wait for each other for ever.
//
// What is beyond a limit is not sent. The error says so in a way that the engine
// can tell from a target that is gone; the experiment is then inconclusive and
// never a pass.
package limits
