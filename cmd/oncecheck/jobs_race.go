//go:build race

package main

// Built with the race detector everything costs several times as much, and the
// same two cores carry that much less. See jobs.go.
const (
	runJobs    = 4
	mutantJobs = 4
)
