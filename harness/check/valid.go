package check

import (
	"maps"
	"slices"

	"github.com/oncecheck/oncecheck/harness"
)

// validKey reports whether the header lines carry one key that the dialect's
// syntax and bounds allow. Where the first of several lines counts, the others
// are not looked at.
func validKey(d harness.Dialect, lines []string) bool {
	if len(lines) == 0 || len(lines) > 1 && d.DuplicateHeader != "first" {
		return false
	}
	key, ok := d.KeyOf(lines[0])
	return ok && len(key) >= d.KeyMin && (d.KeyMax == 0 || len(key) <= d.KeyMax)
}

// GoodKeyExecutes judges that in every case of the pick a well-formed key was
// accepted after the malformed one: the refusal was about the key alone. It
// needs a dialect that refuses malformed keys.
func GoodKeyExecutes(pick Pick) func(*harness.History) harness.Verdict {
	return Unless(MalformedUnnamed, func(h *harness.History) harness.Verdict {
		good := map[string]bool{}
		list := keyed(attempts(h, pick))
		for _, a := range list {
			id := a.Invoke.Case
			good[id] = good[id] || false
			if !validKey(h.Header.Dialect, a.request().Keys) {
				continue
			}
			if !a.answered() {
				return harness.Undecided("no answer to the good key in case "+label(h, id)+": "+a.Done.Error, a.witness())
			}
			if a.class(h) != harness.ClassSuccess {
				return harness.Failed("the same body with a good key to succeed (case "+label(h, id)+")", statusText(a), a.witness())
			}
			good[id] = true
		}
		for _, id := range slices.Sorted(maps.Keys(good)) {
			if !good[id] {
				return harness.Undecided("no good key was sent in case " + label(h, id))
			}
		}
		if len(list) == 0 {
			return harness.Undecided("no keyed request was sent")
		}
		return harness.Passed("the same bodies succeeded with good keys")
	})
}
