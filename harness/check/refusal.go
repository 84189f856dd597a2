package check

import (
	"fmt"
	"slices"

	"github.com/oncecheck/oncecheck/harness"
)

// Malformed judges that every malformed key of the pick was refused: by the
// dialect's statuses and nothing else, and with no dependency call. Attempts
// with a well-formed key are not its concern.
func Malformed(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		bad := slices.DeleteFunc(keyed(attempts(h, pick)), func(a attempt) bool { return validKey(h.Header.Dialect, a.request().Keys) })
		return refused(h, pick, bad, "a malformed key", h.Header.Dialect.Malformed)
	}
}

// MissingKey judges the same of requests without any key.
func MissingKey(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		if h.Header.Dialect.Missing.Execute {
			return harness.Inapplicable("dialect " + h.Header.Dialect.Name + " executes requests without a key (missing: execute)")
		}
		list := keyed(attempts(h, pick))
		for _, a := range list {
			if len(a.request().Keys) > 0 {
				return harness.Undecided("a request of case "+label(h, a.Invoke.Case)+" carried a key", a.witness())
			}
		}
		return refused(h, pick, list, "a missing key", h.Header.Dialect.Missing.Refusal)
	}
}

func refused(h *harness.History, pick Pick, list []attempt, what string, want harness.Refusal) harness.Verdict {
	if len(want.Statuses) == 0 {
		return harness.Inapplicable("dialect " + h.Header.Dialect.Name + " names no status for " + what)
	}
	down := callsByCase(h, pick)
	for _, a := range list {
		if !a.answered() {
			return harness.Undecided("no answer to "+what+" in case "+label(h, a.Invoke.Case)+": "+a.Done.Error, a.witness())
		}
		if !want.Matches(*a.Done.Answer) {
			return harness.Failed(fmt.Sprintf("status %v %s for %s (case %s)", want.Statuses, want.Code, what, label(h, a.Invoke.Case)),
				statusText(a), a.witness())
		}
		if c, found := downDuring(a, down); found {
			return calledDown(a, c)
		}
	}
	if len(list) == 0 {
		return harness.Undecided("no request with " + what + " was sent")
	}
	return harness.Passed(fmt.Sprintf("%d requests with %s refused, no dependency called", len(list), what))
}

// downDuring returns the first dependency call among those of the attempt's case
// that started between its sending and its answer.
func downDuring(a attempt, calls map[string][]harness.Event) (harness.Event, bool) {
	for _, c := range calls[a.Invoke.Case] {
		if c.Call.Started >= a.Invoke.At && c.Call.Started <= a.Done.At {
			return c, true
		}
	}
	return harness.Event{}, false
}

func calledDown(a attempt, c harness.Event) harness.Verdict {
	return harness.Failed("no dependency call for a refused request", c.Call.Method+" "+c.Call.Path+" on link "+c.Call.Link, a.witness(), c.Seq)
}

// MismatchRefused judges that a used key with another body is refused as the
// dialect says and calls nothing, in every case of the pick.
func MismatchRefused(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		d := h.Header.Dialect
		if d.Mismatch.Mode != "refuse" {
			return harness.Inapplicable("dialect " + d.Name + " does not refuse another body under a used key (mismatch: " + d.Mismatch.Mode + ")")
		}
		judged, byCase, down := 0, map[string]int{}, callsByCase(h, pick)
		list := keyed(attempts(h, pick))
		for _, a := range list {
			byCase[a.Invoke.Case] += 0 // a case without another body has to show
		}
		for _, group := range groups(list) {
			original := firstInvoked(group)
			for _, a := range group {
				if a.request().BodySHA256 == original.request().BodySHA256 {
					continue
				}
				if !a.answered() {
					return harness.Undecided("no answer to the other body in case "+label(h, a.Invoke.Case)+": "+a.Done.Error, a.witness())
				}
				judged++
				byCase[a.Invoke.Case]++
				if !d.Mismatch.Matches(*a.Done.Answer) {
					return harness.Failed(fmt.Sprintf("status %v %s for the same key with another body", d.Mismatch.Statuses, d.Mismatch.Code),
						statusText(a), original.witness(), a.witness())
				}
				if c, found := downDuring(a, down); found {
					return calledDown(a, c)
				}
			}
		}
		for id, n := range byCase {
			if n == 0 {
				return harness.Undecided("no other body was sent in case " + label(h, id))
			}
		}
		if judged == 0 {
			return harness.Undecided("no other body was sent under a used key")
		}
		return harness.Passed(fmt.Sprintf("%d requests with another body refused, no dependency called", judged))
	}
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
