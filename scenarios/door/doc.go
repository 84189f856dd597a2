// Package door is what the Ginkgo door and the plain testing door share: a run
// that is carried out scenario by scenario, because a test framework decides
// which of them run and in which order.
//
// Why it exists: both doors have to prove exactly what the command line proves.
// So neither of them judges, words a failure or writes a report itself. A run
// begins with the same plan and positive control, each scenario is judged from
// the history it left, and at the end the whole folder is judged once more as
// any other run folder.
//
//	Begin -> Try (each scenario) -> Close -> Finish
//
// Several processes may share a run: one begins it, the others join, each with
// a target of its own.
package door
