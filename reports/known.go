package reports

import (
	"fmt"

	"github.com/oncecheck/oncecheck/harness"
)

// knownText says who answers for a known failure, and until when.
func knownText(k harness.Known) string {
	return fmt.Sprintf("%s (owner %s, until %s, %s)", k.Reason, k.Owner, k.Expires, k.Link)
}

// knownTold returns the entries of the list of known failures that a reader has
// to hear of: those that did not fail as they should.
func knownTold(list []harness.KnownResult) []harness.KnownResult {
	var told []harness.KnownResult
	for _, k := range list {
		if !k.Failed {
			told = append(told, k)
		}
	}
	return told
}

// knownTone is a failure where an entry of the list counts as one.
func knownTone(k harness.KnownResult) harness.Outcome {
	if k.Counts {
		return harness.Fail
	}
	return harness.NotVerified
}
