package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// CallerRefused judges that calls whose caller has no right come to 401 or 403,
// without a word to the dependency and without a byte of what was stored. The
// owner's calls before and after have to succeed.
func CallerRefused(pick Pick, all ...string) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		v := eachCase(pick, callerRefused)(h)
		if v.Outcome != harness.Pass || len(all) == 0 {
			return v
		}
		tried := map[string]bool{}
		for _, c := range clientCases(h, pick) {
			label, _, _ := strings.Cut(c.label, "@")
			tried[label] = true
		}
		left := slices.DeleteFunc(slices.Clone(all), func(label string) bool { return tried[label] })
		if len(left) > 0 {
			v.Reason += "; not tried: " + strings.Join(left, ", ") + " (gateway.refused)"
		}
		return v
	}
}

func callerRefused(_ *harness.History, c clientCase) harness.Verdict {
	s, v := asStored(c, true)
	if v.Outcome != harness.Pass {
		return v
	}
	for _, a := range s.between {
		const wanted = "status 401 or 403, and no request at the dependency"
		switch n := len(c.during(a)); {
		case n > 0:
			return c.failCall(a, wanted, fmt.Sprintf("%d requests, then %s", n, came(a)))
		case !a.answered():
			return c.undecided("no answer to a caller without a right: " + came(a))
		case s.bytes(a) || fromStore(a) || a.Done.Answer.Status != 401 && a.Done.Answer.Status != 403:
			return c.failCall(a, wanted, came(a))
		}
	}
	if !succeeded(s.proof) || !s.bytes(s.proof) {
		return c.undecided("the owner's call after that came to " + came(s.proof) + ", so nothing shows that a right would have helped")
	}
	return harness.Passed(fmt.Sprintf("%d calls without a right were refused at the door", len(s.between)), c.witnesses()...)
}
