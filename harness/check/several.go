package check

import (
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
)

// several writes "1 request" or "2 requests".
func several(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// alone is the verdict on a case whose attempts cannot be compared, and empty
// where there are two or more of them.
func (c clientCase) alone() harness.Verdict {
	if len(c.sent) >= 2 {
		return harness.Verdict{}
	}
	return harness.Undecided(fmt.Sprintf("%s of case %s reached the dependency, and two are needed to compare", several(len(c.sent), "request"), c.label), c.witnesses()...)
}
