package check

import (
	"fmt"
	"maps"
	"slices"

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
	declined  bool               // some request was declined
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
		case harness.ClassDeclined:
			t.declined, t.accepted = true, true
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
