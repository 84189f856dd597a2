package check

import (
	"fmt"
	"slices"

	"github.com/oncecheck/oncecheck/harness"
)

// Spelling tells where a dialect departs from the wording of a clause, or returns
// "" where it does not.
type Spelling func(harness.Dialect) string

// Literally judges by the dialect's spelling. A failure is one in any spelling;
// what holds only in the dialect's own words does not prove the clause's, which
// is then not applicable.
func Literally(departs Spelling, judge func(*harness.History) harness.Verdict) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		v := judge(h)
		if how := departs(h.Header.Dialect); how != "" && v.Outcome == harness.Pass {
			return harness.Inapplicable("it holds as dialect " + h.Header.Dialect.Name + " spells it, but that is not the clause's wording: " + how)
		}
		return v
	}
}

// MismatchSpelling compares with "409 IDEMPOTENCY_CONFLICT".
func MismatchSpelling(d harness.Dialect) string {
	return spelt(d.Mismatch.Refusal, []int{409}, "IDEMPOTENCY_CONFLICT")
}

// InProgressSpelling compares with "409 REQUEST_IN_PROGRESS".
func InProgressSpelling(d harness.Dialect) string {
	return spelt(d.InProgress.Refusal, []int{409}, "REQUEST_IN_PROGRESS")
}

// MalformedSpelling compares with "400/422".
func MalformedSpelling(d harness.Dialect) string { return spelt(d.Malformed, []int{400, 422}, "") }

// MissingSpelling compares with "400/422 VALIDATION_ERROR".
func MissingSpelling(d harness.Dialect) string {
	return spelt(d.Missing.Refusal, []int{400, 422}, "VALIDATION_ERROR")
}

func spelt(r harness.Refusal, statuses []int, code string) string {
	for _, s := range r.Statuses {
		if !slices.Contains(statuses, s) {
			return fmt.Sprintf("status %d where the clause says %v", s, statuses)
		}
	}
	if code != "" && r.Code != code {
		return fmt.Sprintf("code %q where the clause says %q", r.Code, code)
	}
	return ""
}

// The key lengths of the requirements.
const (
	requiredKeyMin = 1
	requiredKeyMax = 128
)

// TakesKeysAsRequired fails a dialect that declares to take fewer keys than the
// requirement promises, whatever the target does: an API that takes only UUIDs
// refuses what callers may send.
func TakesKeysAsRequired(judge func(*harness.History) harness.Verdict) func(*harness.History) harness.Verdict {
	return bounded(judge, func(d harness.Dialect) bool { return d.KeyMin <= requiredKeyMin && d.KeyMax >= requiredKeyMax })
}

// RefusesKeysAsRequired fails a dialect that declares to take longer keys than
// the requirement allows.
func RefusesKeysAsRequired(judge func(*harness.History) harness.Verdict) func(*harness.History) harness.Verdict {
	return bounded(judge, func(d harness.Dialect) bool { return d.KeyMax <= requiredKeyMax })
}

// bounded compares the declared key lengths with the requirement's. With
// requirements: own the declared ones are judged by themselves.
func bounded(judge func(*harness.History) harness.Verdict, within func(harness.Dialect) bool) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		v, d := judge(h), h.Header.Dialect
		if h.Header.Requirements == "own" || v.Outcome != harness.Pass || within(d) {
			return v
		}
		failed := harness.Failed(fmt.Sprintf("keys of %d to %d characters, as the requirement says", requiredKeyMin, requiredKeyMax), fmt.Sprintf("a dialect that declares %d to %d (requirements: own judges these)", d.KeyMin, d.KeyMax))
		for _, a := range attempts(h, All()) {
			failed.Witness = append(failed.Witness, a.witness())
		}
		return failed
	}
}
