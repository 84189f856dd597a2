package check

import "github.com/oncecheck/oncecheck/harness"

// validKey reports whether the header lines carry one key that the dialect's
// syntax allows. The bounds and the printable range are the dialect's.
func validKey(d harness.Dialect, lines []string) bool {
	if len(lines) != 1 {
		return false
	}
	key := lines[0]
	if len(key) < d.KeyMin || len(key) > d.KeyMax || key[0] == ' ' || key[len(key)-1] == ' ' {
		return false
	}
	for i := range len(key) {
		if key[i] < 0x20 || key[i] > 0x7e {
			return false
		}
	}
	return true
}

// GoodKeyExecutes judges that in every case of the pick a well-formed key was
// accepted after the malformed one: the refusal was about the key alone.
func GoodKeyExecutes(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
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
		for id, ok := range good {
			if !ok {
				return harness.Undecided("no good key was sent in case " + label(h, id))
			}
		}
		if len(list) == 0 {
			return harness.Undecided("no keyed request was sent")
		}
		return harness.Passed("the same bodies succeeded with good keys")
	}
}
