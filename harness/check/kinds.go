package check

import (
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// WhereTried judges further only where each of those labels is a case of the
// history with an answer: a clause that lists kinds is not proven by some of them.
func WhereTried(labels []string, judge func(*harness.History) harness.Verdict) func(*harness.History) harness.Verdict {
	return whereTried(labels, judge, func(left string) harness.Verdict { return harness.Undecided("not tried: " + left) })
}

// WhereOffered is [WhereTried] for kinds that a profile may not have: what it has
// is judged, and without all of them the clause is not verified. The key names
// where the profile would give them.
func WhereOffered(key string, labels []string, judge func(*harness.History) harness.Verdict) func(*harness.History) harness.Verdict {
	return whereTried(labels, judge, func(left string) harness.Verdict {
		return harness.Verdict{Outcome: harness.NotVerified, Reason: "not tried, since the profile does not give it (" + key + "): " + left}
	})
}

func whereTried(labels []string, judge func(*harness.History) harness.Verdict, without func(left string) harness.Verdict) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		v := judge(h)
		if v.Outcome != harness.Pass {
			return v
		}
		answered := map[string]bool{}
		for _, a := range attempts(h, All()) {
			answered[label(h, a.Invoke.Case)] = answered[label(h, a.Invoke.Case)] || a.answered()
		}
		var left []string
		for _, l := range labels {
			if !answered[l] {
				left = append(left, l)
			}
		}
		if len(left) > 0 {
			return without(strings.Join(left, ", "))
		}
		return v
	}
}
