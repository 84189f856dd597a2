package check

import (
	"fmt"
	"strconv"

	"github.com/oncecheck/oncecheck/harness"
)

// InProgressGuides judges that who is told that a request is in progress is told
// what to do as well: to come back after a time, or at least to come back.
func InProgressGuides(pick Pick) func(*harness.History) harness.Verdict {
	return Unless(GuidanceNotPromised, func(h *harness.History) harness.Verdict {
		judged := 0
		for _, a := range keyed(attempts(h, pick)) {
			if !a.answered() || !h.Header.Dialect.InProgress.Matches(*a.Done.Answer) || a.mismatched(h) {
				continue
			}
			judged++
			answer := a.Done.Answer
			seconds, err := strconv.Atoi(answer.RetryAfter)
			if (err != nil || seconds <= 0) && (answer.Retryable == nil || !*answer.Retryable) {
				return harness.Failed("Retry-After of a second or more, or retryable: true", fmt.Sprintf("Retry-After %q, retryable %s", answer.RetryAfter, guidanceText(answer.Retryable)), a.witness())
			}
		}
		if judged == 0 {
			return harness.Undecided("nobody was told that a request is in progress")
		}
		return harness.Passed(fmt.Sprintf("%d callers were told to come back", judged))
	})
}

func guidanceText(b *bool) string {
	if b == nil {
		return "not said"
	}
	return strconv.FormatBool(*b)
}
