package mutants

import (
	"bytes"
	"fmt"

	"github.com/oncecheck/oncecheck/reference/checkout"
)

// foundOutMutants tell less of what they found out by themselves than of what they
// answer at once.
func foundOutMutants() []Mutant {
	return []Mutant{{
		Name:   "found-out-without-order",
		Breaks: "does not name the order of a checkout that it finished after it had answered",
		Kills:  []string{"SRS-CHK-001.27", "SRS-CHK-IF.01"},
		Needs:  []string{needEffects, needDependencies, needStatus},
		Wrap: func(c *checkout.Config) {
			right := c.Result
			c.Result = func(r checkout.Record, receipt string) checkout.Answer {
				if r.Run > 1 && r.Cancels == "" {
					r.OrderID = ""
				}
				return right(r, receipt)
			}
		},
	}, {
		Name:   "found-out-without-attempt-count",
		Breaks: "does not tell how many attempts a checkout took that it finished after it had answered",
		Kills:  []string{"SRS-CHK-IF.01"},
		Needs:  []string{needDependencies, needStatus},
		Wrap: func(c *checkout.Config) {
			right := c.Result
			c.Result = func(r checkout.Record, receipt string) checkout.Answer {
				a := right(r, receipt)
				if r.Run > 1 && r.Cancels == "" {
					a.Body = bytes.Replace(a.Body, fmt.Appendf(nil, `"attemptCount":%d,`, r.AttemptCount), nil, 1)
				}
				return a
			}
		},
	}}
}
