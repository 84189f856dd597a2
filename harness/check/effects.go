package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// AtMostOnce judges invariant I1: no keyed request has more effects of a kind
// than one success has, and none is undone more often than it was made. Reversed
// effects count, since the customer saw them, and so does what a dependency
// carried out under another key, since the ledger may not show it.
func AtMostOnce(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		judged := 0
		by, made := tallies(h, pick), carriedOut(h, pick)
		for _, id := range sortedCases(by) {
			t := by[id]
			judged += len(t.scopes)
			if v, vague := t.undeclared(); vague {
				return v
			}
			if v, twice := t.undoneTwice(h, id); twice {
				return v
			}
			for _, kind := range slices.Sorted(maps.Keys(t.effects)) {
				n := t.effects[kind]
				if harness.Reversed(kind) != "" {
					continue
				}
				if limit := t.limit[kind]; n > limit {
					return harness.Failed(fmt.Sprintf("at most %d %s for %d keyed request(s) of case %s", limit, kind, len(t.scopes), label(h, id)),
						fmt.Sprintf("%d in the ledger", n), t.entries[kind]...)
				}
			}
			if v, twice := t.calledTwice(h, id, made[id]); twice {
				return v
			}
		}
		if judged == 0 {
			return harness.Undecided("no keyed request was sent")
		}
		return harness.Passed(fmt.Sprintf("%d keyed requests, none with a second effect", judged))
	}
}

// EffectsMatchSuccesses judges that the ledger holds exactly the effects of the
// requests that were answered with a success: none missing, none twice, none of
// a request that was refused or declined, none left behind (I1, I3, I6).
func EffectsMatchSuccesses(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		by := tallies(h, pick)
		sent, succeeded := 0, 0
		for _, id := range sortedCases(by) {
			t := by[id]
			sent += len(t.scopes)
			succeeded += len(t.succeeded)
			if v, vague := t.undeclared(); vague {
				return v
			}
			if got, want := t.left(); !maps.Equal(got, want) {
				return harness.Failed(fmt.Sprintf("%s for %d success(es) of case %s", describe(want), len(t.succeeded), label(h, id)),
					describe(got)+" in the ledger", t.odd(got, want)...)
			}
		}
		if sent == 0 {
			return harness.Undecided("no keyed request was sent")
		}
		return harness.Passed(fmt.Sprintf("the ledger holds exactly the effects of %d success(es) of %d request(s)", succeeded, sent))
	}
}

// NothingLeftBehind judges I3 and I6: the ledger holds no more than the effects
// of the requests that were answered with a success. What is missing is another
// matter.
func NothingLeftBehind(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		by := tallies(h, pick)
		for _, id := range sortedCases(by) {
			t := by[id]
			if v, vague := t.undeclared(); vague {
				return v
			}
			got, want := t.left()
			for _, kind := range slices.Sorted(maps.Keys(got)) {
				if limit := want[kind]; got[kind] > limit {
					return harness.Failed(fmt.Sprintf("no more than %d %s for %d success(es) of case %s", limit, kind, len(t.succeeded), label(h, id)), fmt.Sprintf("%d in the ledger", got[kind]), t.entries[kind]...)
				}
			}
		}
		if len(by) == 0 {
			return harness.Undecided("no keyed request was sent")
		}
		return harness.Passed(fmt.Sprintf("%d case(s), nothing beyond their successes", len(by)))
	}
}

// EachSucceeded judges further only where every case of the pick has a success:
// a target that refuses everything repeats itself perfectly.
func EachSucceeded(pick Pick, judge func(*harness.History) harness.Verdict) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		v := judge(h)
		if v.Outcome != harness.Pass {
			return v
		}
		by := tallies(h, pick)
		for _, id := range sortedCases(by) {
			if len(by[id].succeeded) == 0 {
				return harness.Undecided("no success in case "+label(h, id), by[id].asked...)
			}
		}
		return v
	}
}

// NoEffect judges that the picked cases left nothing in the ledger, whatever
// they were answered.
func NoEffect(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		by := tallies(h, pick)
		for _, id := range sortedCases(by) {
			if t := by[id]; len(t.effects) > 0 {
				return harness.Failed("no effect of case "+label(h, id), describe(t.effects)+" in the ledger", t.odd(t.effects, nil)...)
			}
		}
		if len(by) == 0 {
			return harness.Undecided("no keyed request was sent")
		}
		return harness.Passed(fmt.Sprintf("%d case(s) without any effect", len(by)))
	}
}

func sortedCases(by map[string]*tally) []string { return slices.Sorted(maps.Keys(by)) }

func label(h *harness.History, caseID string) string {
	return strings.TrimPrefix(caseID, h.Header.Scenario+"/")
}

func describe(effects map[string]int) string {
	if len(effects) == 0 {
		return "no effect"
	}
	var parts []string
	for _, kind := range slices.Sorted(maps.Keys(effects)) {
		parts = append(parts, fmt.Sprintf("%d %s", effects[kind], kind))
	}
	return strings.Join(parts, ", ")
}
