package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// PassedThrough judges that the last call of each case came to what its
// dependency answered last, whatever that was: status, body and those header
// lines, which have to be the ones that it sent. An error of the client is no
// answer of a dependency, whatever it says of it.
func PassedThrough(pick Pick, lines ...[2]string) func(*harness.History) harness.Verdict {
	return eachCase(pick, func(_ *harness.History, c clientCase) harness.Verdict {
		if len(c.sent) == 0 {
			return c.fail("the dependency's answer", "no request reached it, then "+outcomeOf(c))
		}
		from := c.sent[len(c.sent)-1].Call
		last := c.calls[len(c.calls)-1]
		if from.Outcome == harness.CallPeerLeft && last.answered() && last.Done.Answer.Outcome == "" && last.Done.Answer.Status == from.Status {
			return c.fail("the dependency's answer in full", fmt.Sprintf("%d bytes of it: the client left before the dependency had sent the rest", last.Done.Answer.BodyBytes))
		}
		if from.Answers == "" {
			return harness.Undecided("the dependency of case "+c.label+" sent no answer in full", c.witnesses()...)
		}
		wanted := fmt.Sprintf("the dependency's answer as it was: status %d", from.Status)
		if !last.answered() || last.Done.Answer.Outcome != "" || last.Done.Answer.Status != from.Status {
			return c.fail(wanted, outcomeOf(c))
		}
		answer := last.Done.Answer
		if answer.BodySHA256 != from.Answers {
			return c.fail(fmt.Sprintf("%s, a body with SHA-256 %.12s", wanted, from.Answers), fmt.Sprintf("%d bytes with SHA-256 %.12s", answer.BodyBytes, answer.BodySHA256))
		}
		for _, name := range names(lines) {
			sent, got := valuesIn(lines, name), valuesOf(answer.Header, name)
			if !strings.EqualFold(name, "Set-Cookie") { // of any other header one line with all values says the same
				sent, got = []string{strings.Join(sent, ", ")}, []string{strings.Join(got, ", ")}
			}
			if !slices.Equal(got, sent) {
				return c.fail(fmt.Sprintf("%s, header %s: %q", wanted, name, sent), fmt.Sprintf("%q", got))
			}
		}
		return harness.Passed(fmt.Sprintf("status %d, %d bytes and %d header lines as they were", answer.Status, answer.BodyBytes, len(lines)), c.witnesses()...)
	})
}
