package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// publicCodes are the codes that an error may have: the six of the requirements,
// and three for what they do not cover.
func publicCodes() []string {
	return []string{"VALIDATION_ERROR", "IDEMPOTENCY_CONFLICT", "REQUEST_IN_PROGRESS", "CHECKOUT_PENDING", "PAYMENT_DECLINED", "SERVICE_UNAVAILABLE",
		"UNAUTHENTICATED", "FORBIDDEN", "NOT_FOUND"}
}

// OwnErrors excludes what the requirements say of errors where the dialect has
// others.
func OwnErrors(d harness.Dialect) string {
	if d.ErrorFormat != "srs" {
		return "has errors of its own (errorFormat " + d.ErrorFormat + ")"
	}
	return ""
}

// PublicCodes judges that every error has one of the public codes: one without a
// code, such as a page for people, has none of them.
func PublicCodes(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		seen := map[string]bool{}
		for _, a := range attempts(h, pick) {
			if !isError(a) {
				continue
			}
			code := a.Done.Answer.Code
			if !slices.Contains(publicCodes(), code) {
				return harness.Failed("one of the public codes", fmt.Sprintf("code %q with status %d: %.120s", code, a.Done.Answer.Status, a.Done.Answer.Body), a.witness())
			}
			seen[code] = true
		}
		if len(seen) == 0 {
			return harness.Undecided("no error was answered")
		}
		return harness.Passed(fmt.Sprintf("%d public codes and no other one: %s", len(seen), sortedList(seen)))
	}
}

// AllCodesSeen judges that the situations were there that bring these codes: what
// was never provoked cannot be wrong.
func AllCodesSeen(pick Pick, codes ...string) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		left := slices.Clone(codes)
		for _, a := range attempts(h, pick) {
			if a.answered() {
				left = slices.DeleteFunc(left, func(code string) bool { return code == a.Done.Answer.Code })
			}
		}
		if len(left) > 0 {
			return harness.Undecided("nothing was answered " + strings.Join(left, ", "))
		}
		return harness.Passed("all of " + strings.Join(codes, ", ") + " were answered")
	}
}

// isError reports whether an attempt was answered with an error of the API.
func isError(a attempt) bool { return a.answered() && a.Done.Answer.Status >= 400 }

func sortedList(set map[string]bool) string {
	list := make([]string, 0, len(set))
	for name := range set {
		list = append(list, name)
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// SafeCodes judges that a status names no code but a public one, and repeats
// nothing of what a dependency said: its words, as the run put them into its
// answers, are in none of them.
func SafeCodes(pick Pick, words ...string) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		withCode := 0
		said := false
		for _, c := range calls(h, pick) {
			said = said || c.Call.Fault != "" && c.Call.Status >= 400
		}
		for _, a := range statusReads(attempts(h, pick)) {
			if !a.answered() {
				return harness.Undecided("no answer to a status read: "+a.Done.Error, a.witness())
			}
			if code := a.Done.Answer.Code; code != "" {
				if !slices.Contains(publicCodes(), code) {
					return harness.Failed("a public code, or none", fmt.Sprintf("code %q in a status", code), a.witness())
				}
				withCode++
			}
			for _, word := range words {
				if strings.Contains(a.Done.Answer.Body, word) {
					return harness.Failed("nothing of what a dependency says in a status", fmt.Sprintf("%q", word), a.witness())
				}
			}
		}
		switch {
		case withCode == 0:
			return harness.Undecided("no status with a code was read")
		case !said:
			return harness.Undecided("no dependency answered with an error, so its code could not be passed on")
		}
		return harness.Passed(fmt.Sprintf("%d statuses with a public code, and no word of a dependency", withCode))
	}
}
