package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// row is a clause or an invariant of the evidence.
type row struct {
	id      string
	verdict harness.Outcome
	reason  string
	checks  []harness.CheckResult
}

func rows(e harness.Evidence) []row {
	var all []row
	for _, c := range e.Clauses {
		all = append(all, row{string(c.ID), c.Verdict, c.Reason, c.Checks})
	}
	for _, i := range e.Invariants {
		all = append(all, row{i.ID, i.Verdict, i.Reason, i.Checks})
	}
	return all
}

// compare returns a line for each difference between the evidence and what is
// known, in the order of the evidence.
func compare(e harness.Evidence, known map[string]expectation) []string {
	var differences []string
	met := map[string]bool{}
	for _, r := range rows(e) {
		want, listed := known[r.id]
		met[r.id] = true
		switch {
		case !listed && r.verdict != harness.NotVerified:
			differences = append(differences, fmt.Sprintf("%s is %s and has no line, so it has to be not-verified: %s", r.id, r.verdict, r.reason))
		case listed && r.verdict != want.verdict:
			differences = append(differences, fmt.Sprintf("%s is %s, expected %s: %s", r.id, r.verdict, want.verdict, r.reason))
		case listed:
			for _, part := range want.because {
				if !r.says(part) {
					differences = append(differences, fmt.Sprintf("%s is %s as expected, but nothing says %q: %s", r.id, r.verdict, part, r.reason))
				}
			}
		}
		if name := r.unshown(); name != "" {
			differences = append(differences, fmt.Sprintf("%s fails by %s, which shows no event of the history", r.id, name))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(known)) {
		if !met[id] {
			differences = append(differences, id+" has a line, but the evidence holds no such clause or invariant")
		}
	}
	return differences
}

// unsettled reports whether a verdict is inconclusive that is known to be none, or
// one of several checks is, so that a known reason is missing: the machine may have
// been too busy to tell.
func unsettled(e harness.Evidence, known map[string]expectation) bool {
	return slices.ContainsFunc(rows(e), func(r row) bool {
		want, listed := known[r.id]
		if r.verdict != want.verdict || !listed {
			return r.verdict == harness.Inconclusive
		}
		missing := slices.ContainsFunc(want.because, func(part string) bool { return !r.says(part) })
		return missing && slices.ContainsFunc(r.checks, func(c harness.CheckResult) bool { return c.Verdict == harness.Inconclusive })
	})
}

// unshown returns a check of the row that failed and shows nothing, or "".
func (r row) unshown() string {
	for _, c := range r.checks {
		if c.Verdict == harness.Fail && len(c.Witness) == 0 {
			return c.Name + " in " + c.Scenario
		}
	}
	return ""
}

// says reports whether part is in the reason of the row, or of one of its checks
// with the row's verdict.
func (r row) says(part string) bool {
	if strings.Contains(r.reason, part) {
		return true
	}
	return slices.ContainsFunc(r.checks, func(c harness.CheckResult) bool {
		return c.Verdict == r.verdict && strings.Contains(c.Name+" in "+c.Scenario+": "+c.Reason, part)
	})
}
