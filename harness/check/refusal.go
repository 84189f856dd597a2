package check

import (
	"fmt"
	"slices"

	"github.com/oncecheck/oncecheck/harness"
)

// Malformed judges that every malformed key of the pick was refused: by the
// dialect's statuses and nothing else, and with no dependency call. Attempts
// with a well-formed key are not its concern, nor are those that the dialect
// takes for requests without a key.
func Malformed(pick Pick) func(*harness.History) harness.Verdict {
	return Unless(MalformedUnnamed, func(h *harness.History) harness.Verdict {
		d := h.Header.Dialect
		bad := slices.DeleteFunc(keyed(attempts(h, pick)), func(a attempt) bool {
			return validKey(d, a.request().Keys) || d.Keyless(a.request())
		})
		return refused(h, bad, "a malformed key", d.Malformed)
	})
}

// MissingKey judges the same of requests without any key.
func MissingKey(pick Pick) func(*harness.History) harness.Verdict {
	return Unless(KeyOptional, func(h *harness.History) harness.Verdict {
		list := keyed(attempts(h, pick))
		for _, a := range list {
			if len(a.request().Keys) > 0 {
				return harness.Undecided("a request of case "+label(h, a.Invoke.Case)+" carried a key", a.witness())
			}
		}
		return refused(h, list, "a missing key", h.Header.Dialect.Missing.Refusal)
	})
}

func refused(h *harness.History, list []attempt, what string, want harness.Refusal) harness.Verdict {
	down := downstreamOf(h)
	for _, a := range list {
		if !a.answered() {
			return harness.Undecided("no answer to "+what+" in case "+label(h, a.Invoke.Case)+": "+a.Done.Error, a.witness())
		}
		if !want.Matches(*a.Done.Answer) {
			return harness.Failed(fmt.Sprintf("status %v %s for %s (case %s)", want.Statuses, want.Code, what, label(h, a.Invoke.Case)),
				statusText(a), a.witness())
		}
		if v := down.untouched(h, a); v.Outcome != harness.Pass {
			return v
		}
	}
	if len(list) == 0 {
		return harness.Undecided("no request with " + what + " was sent")
	}
	return harness.Passed(fmt.Sprintf("%d requests with %s refused, no dependency called", len(list), what))
}

// firstInvoked returns the attempt of the group that was sent first.
func firstInvoked(group []attempt) attempt {
	first := group[0]
	for _, a := range group[1:] {
		if a.Invoke.Seq < first.Invoke.Seq {
			first = a
		}
	}
	return first
}
