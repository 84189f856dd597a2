package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/oncecheck/oncecheck/harness"
	"github.com/oncecheck/oncecheck/harness/known"
)

// knownFailures reads the list that --known names, if it names one.
func (f runFlags) knownFailures() ([]harness.KnownFailure, error) {
	if f.known == "" {
		return nil, nil
	}
	list, err := known.Load(f.known)
	if err != nil {
		return nil, refuse(err, "a list of {clause or check: name@scenario, reason, link, owner, expires: YYYY-MM-DD}; a run prints an entry for each failure")
	}
	return list, nil
}

// suggestKnown prints an entry for each failure that is not known, for whoever
// decides to live with it for a while.
func suggestKnown(w io.Writer, e harness.Evidence, now time.Time) {
	lines := known.Suggest(e, now)
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(w, "\n# to accept a failure for a while: fill in the <...>, keep it in a file, and run with --known FILE\n")
	for _, line := range lines {
		fmt.Fprintln(w, oneLine(line))
	}
}

// limited tells the load that a run keeps to, and what that costs.
func limited(log io.Writer, l harness.Limits, jobs int) {
	var parts []string
	if l.Rate > 0 {
		parts = append(parts, strconv.FormatFloat(l.Rate, 'g', -1, 64)+" requests/s")
	}
	if l.Concurrency > 0 {
		parts = append(parts, fmt.Sprintf("%d at once", l.Concurrency))
	}
	if l.Requests > 0 {
		parts = append(parts, fmt.Sprintf("%d in all", l.Requests))
	}
	if len(parts) > 0 {
		fmt.Fprintf(log, "limits: %s; %s side by side\n", strings.Join(parts, ", "), plural(l.Jobs(jobs), "scenario"))
	}
}
