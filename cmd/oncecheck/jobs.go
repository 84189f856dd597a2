//go:build !race

package main

// How much runs side by side unless the user says otherwise: as much as two cores
// carry without spoiling the times that are measured.
const (
	runJobs    = 32 // scenarios of a run
	mutantJobs = 16 // scenarios of one mutant
)
