package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/oncecheck/oncecheck/harness"
)

// tally counts, per case, what the ledger shows and how many requests may have
// left something there.
type tally struct {
	effects   map[string]int     // gross, by kind
	entries   map[string][]int64 // where they stand in the history, by kind
	asked     []int64            // the requests of the case
	scopes    map[scope]bool     // keyed requests sent
	succeeded map[scope]bool     // those answered with a success
	owed      map[string]int     // what these leave, gross
	limit     map[string]int     // what all that were sent may leave, gross
	vague     string             // an operation that succeeded and whose effects nobody declared
	accepted  bool               // some request was not refused outright, so that effects may have been undone
}

// left is what the case left behind, and what it should have left: net of
// reversals, unless every request was refused, of which nothing may ever have
// begun. Reversals that were asked for count on both sides, so that one that
// nobody asked for shows.
func (t *tally) left() (got, want map[string]int) {
	if t.accepted {
		return harness.Undone(t.effects), harness.Undone(t.owed)
	}
	return t.effects, t.owed
}

// undeclared is the verdict where an operation that succeeded leaves in the
// ledger what nobody declared.
func (t *tally) undeclared() (harness.Verdict, bool) {
	return harness.Verdict{Outcome: harness.NotVerified,
		Reason: "the profile does not say what a success of " + t.vague + " leaves in the ledger (operations." + t.vague + ".effects)"}, t.vague != ""
}

func add(to, effects map[string]int) {
	for kind, n := range effects {
		to[kind] += n
	}
}

func tallies(h *harness.History, pick Pick) map[string]*tally {
	by := map[string]*tally{}
	of := func(id string) *tally {
		if by[id] == nil {
			by[id] = &tally{effects: map[string]int{}, entries: map[string][]int64{}, scopes: map[scope]bool{}, succeeded: map[scope]bool{}, owed: map[string]int{}, limit: map[string]int{}}
		}
		return by[id]
	}
	for _, a := range keyed(attempts(h, pick)) {
		t := of(a.Invoke.Case)
		s := a.scope(h)
		if h.Header.Dialect.Keyless(a.request()) {
			s.Key = "keyless " + a.Invoke.Op // without a key every request is its own
		}
		each, known := h.Header.EffectsOf(a.request().Operation)
		if !t.scopes[s] {
			add(t.limit, each)
		}
		t.scopes[s] = true
		t.asked = append(t.asked, a.witness())
		switch a.class(h) {
		case harness.ClassSuccess:
			if !t.succeeded[s] {
				add(t.owed, each)
			}
			if !known {
				t.vague = a.request().Operation
			}
			t.succeeded[s], t.accepted = true, true
		case harness.ClassRefused, harness.ClassMismatch:
		default:
			t.accepted = true
		}
	}
	for e := range h.Events() {
		// Where a dependency was made to refuse, a refusal need not be one at the door.
		if e.Type == harness.CallEvent && e.Call.Fault != "" && e.Call.Link != harness.LinkClient && by[e.Case] != nil {
			by[e.Case].accepted = true
		}
		if e.Type == harness.EffectEvent && pick.accepts(h, e.Case) {
			t := of(e.Case)
			t.effects[e.Effect.Kind]++
			t.entries[e.Effect.Kind] = append(t.entries[e.Effect.Kind], e.Seq)
		}
	}
	return by
}

// odd returns the ledger entries of the kinds of which there are too many, and
// what stands for the case where there are only too few.
func (t *tally) odd(got, want map[string]int) []int64 {
	var seqs []int64
	for _, kind := range slices.Sorted(maps.Keys(t.entries)) {
		if got[kind] > want[kind] || harness.Reversed(kind) != "" {
			seqs = append(seqs, t.entries[kind]...)
		}
	}
	if len(seqs) == 0 {
		seqs = t.asked
	}
	return seqs
}

// undoneTwice looks for a kind of effect that was undone more often than it was
// made.
func (t *tally) undoneTwice(h *harness.History, id string) (harness.Verdict, bool) {
	left := harness.Undone(t.effects)
	for _, kind := range slices.Sorted(maps.Keys(left)) {
		if left[kind] >= 0 || h.Header.PerSuccess[kind] == 0 {
			continue
		}
		var undoing []int64
		for _, undo := range slices.Sorted(maps.Keys(t.entries)) {
			if harness.Reversed(undo) == kind {
				undoing = append(undoing, t.entries[undo]...)
			}
		}
		return harness.Failed(fmt.Sprintf("no more than %d reversal(s) of %s in case %s", t.effects[kind], kind, label(h, id)),
			fmt.Sprintf("%d in the ledger", len(undoing)), undoing...), true
	}
	return harness.Verdict{}, false
}

// AtMostOnce judges invariant I1: no keyed request has more effects of a kind
// than one success has, and none is undone more often than it was made. Reversed
// effects count, since the customer saw them.
func AtMostOnce(pick Pick) func(*harness.History) harness.Verdict {
	return func(h *harness.History) harness.Verdict {
		judged := 0
		by := tallies(h, pick)
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
