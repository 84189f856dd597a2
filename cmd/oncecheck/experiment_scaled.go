package main

import (
	"fmt"
	"io"

	"github.com/oncecheck/oncecheck/harness"
)

// divided says where what takes too long is tried, if it is.
func divided(w io.Writer, plan harness.Plan) {
	if plan.Scaled != nil {
		fmt.Fprintf(w, "what would take too long is tried on a second target, with all times divided by %v\n", plan.Scaled.Scale)
	}
	for _, s := range plan.Scenarios {
		if s.Selected && len(s.Missing) == 0 && !s.Runs() {
			fmt.Fprintf(w, "%s is left out: it %s\n", s.ID, s.Left())
		}
	}
}

// doubled says where what disturbs a target is tried, if not on the first.
func doubled(w io.Writer, plan harness.Plan) {
	if n := len(plan.Twins); n > 0 {
		fmt.Fprintf(w, "what disturbs a target is tried on %s of it\n", plural(n, "twin"))
	}
}
