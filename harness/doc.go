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
//   - What a profile claims is tried. What no scenario of a run needs goes through
//     a preflight with the positive control, so that a control that does nothing
//     cannot stay unnoticed until somebody relies on it.
//   - A failure is not demoted: two charges are two charges, whatever else went
//     wrong. Only what may rest on something missing, because the run was
//     interrupted, the target gone or the ledger never read, decides nothing.
//   - The books are kept for every case of every scenario, whatever its checks
//     look at, and the ledger is read once more at the end of the run, when late
//     effects had time to arrive. What belongs to no case is not green either.
//   - Nobody meets what another scenario did. What disturbs the target has it for
//     itself until all is seen to be undone, and is refused more from then on. Once
//     something cannot be undone nothing further is tried, since the target is then
//     not the one to be tested. Where the target is ours to start, what disturbs it is
//     tried on twins of it, beside the rest; each has a ledger and a control of its own.
//   - A threshold is claimed only from a series of calls whose number, seed, faults
//     and end were fixed before the first of them, with the exact bound that so many
//     calls allow. That is an [NFR], measured in a lane of its own.
//
// Data flows one way: profile, [Target], [Session], [History], [Check],
// [Evidence], renderers. The package uses the standard library only and knows
// no target, no test framework and no other package of this module.
package harness
