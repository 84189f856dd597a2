package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// Outcome is what a call has to come to.
type Outcome struct {
	Statuses  []int  // one of these; empty: any
	Code      string // of the typed error; empty: any
	Response  bool   // a response of the dependency, no error of the client
	Failure   bool   // no success, whatever else: nothing may be made up
	Cancelled bool
	Retryable *bool
}

// Returns judges what the last call of each case came to. A gateway shows a typed
// error as an HTTP answer, a client behind a shim as an error that names status
// and code; both count alike.
func Returns(pick Pick, want Outcome) func(*harness.History) harness.Verdict {
	return eachCase(pick, func(_ *harness.History, c clientCase) harness.Verdict {
		last := c.calls[len(c.calls)-1]
		switch {
		case !last.answered() && want.noSuccess():
			return c.undecided("nothing came back, which is no success so far: " + outcomeOf(c))
		case !last.answered():
			return c.fail(want.String(), outcomeOf(c))
		}
		if !want.met(*last.Done.Answer) {
			return c.fail(want.String(), outcomeOf(c)+retryableText(*last.Done.Answer))
		}
		return harness.Passed("it returned "+outcomeOf(c), c.witnesses()...)
	})
}

func (o Outcome) met(a harness.Answer) bool {
	switch {
	case o.Cancelled:
		return a.Outcome == harness.OutcomeCancelled
	case o.Response && a.Outcome != "":
		return false
	case o.Failure && a.Outcome == "" && a.Status < 400:
		return false
	case len(o.Statuses) > 0 && !slices.Contains(o.Statuses, a.Status):
		return false
	case o.Code != "" && a.Code != o.Code:
		return false
	}
	return o.Retryable == nil || a.Retryable != nil && *a.Retryable == *o.Retryable
}

// noSuccess reports whether all that is wanted is that nothing was made up.
func (o Outcome) noSuccess() bool {
	return o.Failure && len(o.Statuses) == 0 && o.Code == "" && o.Retryable == nil
}

// String tells what was wanted.
func (o Outcome) String() string {
	var parts []string
	switch {
	case o.Cancelled:
		return "the outcome cancelled"
	case o.Response:
		parts = append(parts, "the dependency's response")
	case o.Failure:
		parts = append(parts, "no success")
	}
	if len(o.Statuses) > 0 {
		parts = append(parts, "status "+strings.Trim(fmt.Sprint(o.Statuses), "[]"))
	}
	if o.Code != "" {
		parts = append(parts, "code "+o.Code)
	}
	if o.Retryable != nil {
		parts = append(parts, fmt.Sprintf("retryable %t", *o.Retryable))
	}
	return strings.Join(parts, ", ")
}

func retryableText(a harness.Answer) string {
	if a.Retryable == nil {
		return ""
	}
	return fmt.Sprintf(", retryable %t", *a.Retryable)
}
