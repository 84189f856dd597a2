// Package check holds the judges: pure functions from a history to a verdict,
// one property a file.
//
// Why pure: a judge that can ask the target a question can be fooled by the
// answer, and its verdict dies with the run. These read only what was recorded,
// so a stored run can be judged again by anybody, and each judge is tested with
// histories written by hand: one that must pass, one that must fail, and an
// empty one, which is always inconclusive.
//
// How a judge reasons: first it looks for what it is meant to judge and is
// undecided if that never happened; then it looks for a contradiction and fails
// with the events that show it; only what is left is a pass. The gates of the
// engine come on top: a pass of a judge becomes a verdict only if the experiment
// itself was proven.
//
// Judges compare with the policy and the dialect in the history's header, never
// with literals, and know no target.
package check
