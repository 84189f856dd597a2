// Package fakes is the outside world as one value, for whoever begins a run of
// a profile that says fake: provider.
//
// Why it stands apart from the fakes themselves: each of them is a system that
// knows nobody, not even who counts its effects, and the doors that try a target
// know no fake. So somebody has to join the two, and it is the one who begins:
// the command does so by itself, a test in one line.
//
//	conform.Run(t, conform.Target{Profile: "oncecheck.yaml", Fakes: fakes.New})
//
// Each world has a ledger of its own. What it holds is what the target did in
// the run that made the world, and nothing that an earlier one left.
package fakes
