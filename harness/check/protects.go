package check

import "github.com/oncecheck/oncecheck/harness"

// KeyProtects judges that each key of the pick brings a success, and each of at
// least so many repeats that success again, in what the dialect keeps of it.
func KeyProtects(pick Pick, repeats int) func(*harness.History) harness.Verdict {
	return EachSucceeded(pick, func(h *harness.History) harness.Verdict {
		return replayed(h, pick, repeats, "the first answer again", func(first, later harness.Answer) (string, string) {
			return differs(h.Header.Dialect, first, later)
		})
	})
}
