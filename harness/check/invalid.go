package check

import (
	"fmt"
	"slices"

	"github.com/oncecheck/oncecheck/harness"
)

// codeValidation is the code of a request whose content is wrong.
const codeValidation = "VALIDATION_ERROR"

// ErrorSpelling tells whether a dialect has an error object of another form, in
// which the clause's codes do not appear.
func ErrorSpelling(d harness.Dialect) string {
	if d.ErrorFormat != "" && d.ErrorFormat != "srs" {
		return "errors of another form (errorFormat: " + d.ErrorFormat + ")"
	}
	return ""
}

// InvalidRefused judges that the first request of each case, whose content is
// wrong, was refused with 400 or 422 and, where the dialect has the code, with
// VALIDATION_ERROR, and that no dependency was called for it.
func InvalidRefused(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		want := contentRefusal(h.Header.Dialect)
		down, n := downstreamOf(h), 0
		for _, group := range groups(h, keyed(attempts(h, pick))) {
			a := firstInvoked(group)
			name := label(h, a.Invoke.Case)
			n++
			if !a.answered() {
				return harness.Undecided("no answer to the request of case "+name+": "+a.Done.Error, a.witness())
			}
			if !want.Matches(*a.Done.Answer) {
				return harness.Failed(fmt.Sprintf("status 400 or 422 %s for a request that is wrong (case %s)", want.Code, name), statusText(a), a.witness())
			}
			if v := down.untouched(h, a); v.Outcome != harness.Pass {
				return v
			}
		}
		if n == 0 {
			return harness.Undecided("no request with wrong content was sent")
		}
		return harness.Passed(fmt.Sprintf("%d requests with wrong content refused, no dependency called", n))
	}
}

// contentRefusal is how a request is refused for what it says: with the code where
// the dialect has it.
func contentRefusal(d harness.Dialect) harness.Refusal {
	want := harness.Refusal{Statuses: []int{400, 422}, Code: codeValidation}
	if ErrorSpelling(d) != "" {
		want.Code = ""
	}
	return want
}

// ValidationConsumes excludes what is said of a key whose first request was
// wrong.
func ValidationConsumes(d harness.Dialect) string {
	if d.ValidationConsumesKey {
		return "keeps a refusal of the content with the key (validationConsumesKey)"
	}
	return ""
}

// RefusalFreesKey judges that in every case the first request was refused for
// what it said and a right one then succeeded under the same key.
func RefusalFreesKey(pick Pick) func(*harness.History) harness.Verdict {
	return Unless(ValidationConsumes, func(h *harness.History) harness.Verdict {
		list := groups(h, keyed(attempts(h, pick)))
		for _, group := range list {
			first := firstInvoked(group)
			name := label(h, first.Invoke.Case)
			if first.class(h) != harness.ClassRefused {
				return harness.Undecided("the first request of case "+name+" was not refused: "+statusText(first), first.witness())
			}
			right := slices.DeleteFunc(slices.Clone(group), func(a attempt) bool { return sameBody(a, first) })
			if len(right) == 0 {
				return harness.Undecided("no other request was sent under the key of case "+name, first.witness())
			}
			for _, a := range right {
				switch {
				case !a.answered():
					return harness.Undecided("no answer to the right request of case "+name+": "+a.Done.Error, a.witness())
				case a.class(h) != harness.ClassSuccess:
					return harness.Failed("the right request to succeed under the key of the wrong one (case "+name+")", statusText(a), first.witness(), a.witness())
				}
			}
		}
		if len(list) == 0 {
			return harness.Undecided("no request with wrong content was sent")
		}
		return harness.Passed(fmt.Sprintf("%d keys were free after a refusal", len(list)))
	})
}
