package check

import (
	"slices"
	"strconv"
	"time"

	"github.com/oncecheck/oncecheck/harness"
)

// stateFinal is the state of a checkout that failed for good.
const stateFinal = "FAILED_FINAL"

// shown returns the status reads of the pick that found something, in the order in
// which they were answered.
func shown(h *harness.History, pick Pick) []attempt {
	reads := slices.DeleteFunc(statusReads(attempts(h, pick)), func(a attempt) bool { return !a.answered() || a.Done.Answer.Status != 200 })
	slices.SortStableFunc(reads, func(a, b attempt) int { return int(a.Done.At - b.Done.At) })
	return reads
}

// shownByCase sorts them by case.
func shownByCase(h *harness.History, pick Pick) map[string][]attempt {
	by := map[string][]attempt{}
	for _, a := range shown(h, pick) {
		by[a.Invoke.Case] = append(by[a.Invoke.Case], a)
	}
	return by
}

// shownTime reads a time as answers show it: RFC 3339, or a number that grows.
func shownTime(text string) (time.Time, bool) {
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return t, true
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return time.Unix(0, n), true
	}
	return time.Time{}, false
}
