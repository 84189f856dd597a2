package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// stored is a case about what a gateway falls back to. Its calls follow each
// other: the first succeeds and so leaves a result, the last is made by who owns
// the result, and what lies between is what the case is about.
type stored struct {
	clientCase
	seed, proof attempt
	between     []attempt
}

// asStored returns the case as one of those, or why it is none.
func asStored(c clientCase, between bool) (stored, harness.Verdict) {
	s := stored{clientCase: c, seed: c.calls[0], proof: c.last()}
	if len(c.calls) > 1 {
		s.between = c.calls[1 : len(c.calls)-1]
	}
	switch {
	case len(c.calls) < 2 || between && len(s.between) == 0:
		return s, c.undecided("too few calls were made")
	case !succeeded(s.seed):
		return s, c.undecided("nothing was stored, for the first call came to " + came(s.seed))
	case fromStore(s.seed) || len(c.during(s.seed)) == 0:
		return s, c.undecided("the first call was not answered by the dependency: " + came(s.seed))
	}
	return s, harness.Passed("a result was left")
}

// bytes reports whether the answer holds the stored body.
func (s stored) bytes(a attempt) bool {
	if !a.answered() || s.seed.Done.Answer.BodyBytes == 0 {
		return false
	}
	return a.Done.Answer.BodySHA256 == s.seed.Done.Answer.BodySHA256 || strings.Contains(a.Done.Answer.Body, s.seed.Done.Answer.Body)
}

// served says what is wrong with a call that has to be answered with the stored
// result, or "".
func (s stored) served(a attempt) string {
	switch seed := s.seed.Done.Answer; {
	case !a.answered():
		return came(a)
	case a.Done.Answer.Status != seed.Status:
		return came(a)
	case a.Done.Answer.BodySHA256 != seed.BodySHA256:
		return came(a) + fmt.Sprintf(", with another body: SHA-256 %.12s and not %.12s", a.Done.Answer.BodySHA256, seed.BodySHA256)
	case !slices.Equal(saidSource(a), []string{harness.SourceFallback}):
		return came(a) + fmt.Sprintf(", with %s %q", harness.SourceHeader, saidSource(a))
	}
	return ""
}

// proven asks that the owner was served what was stored: where nothing is, it
// cannot be given to the wrong one.
func (s stored) proven(told string) harness.Verdict {
	if wrong := s.served(s.proof); wrong != "" {
		return s.undecided("nothing shows that a result was stored, for its owner got " + wrong)
	}
	return harness.Passed(told+", and the owner was served", s.witnesses()...)
}
