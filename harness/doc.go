// Package harness is the vocabulary and the engine of oncecheck: it proves,
// or refuses to prove, that a system may be retried.
//
// Why it looks like this: a user trusts a green result with money, so the one
// bug this package must not have is a pass that was not earned. Everything
// follows from that.
//
//   - Driving and judging never meet. A [Scenario] drives a target and leaves a
//     [History] on disk; a [Check] is a pure function of that History. A check
//     cannot touch the target, so it cannot be fooled by asking it nicely, and
//     any stored run can be judged again by anyone.
//   - The zero [Verdict] is inconclusive. A pass is demoted by [Judge] unless the
//     positive control held, every planned fault fired, was observed and was
//     lifted, the effects had settled, unknown outcomes were resolved and, where
//     a check asks for it, requests really overlapped.
//   - A failure is never demoted: two charges are two charges, whatever else
//     went wrong in the experiment.
//
// Data flows one way: profile, [Target], [Session], [History], [Check],
// [Evidence], renderers. The package uses the standard library only and knows
// no target, no test framework and no other package of this module.
package harness
